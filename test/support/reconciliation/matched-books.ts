import { env } from "cloudflare:workers";
import { LedgerClient } from "#modules/ledger/index.ts";
import { reconciliationSources } from "#modules/reconciliation/sources/tables.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseTimestamp } from "#platform/time.ts";

/** The sources of the matching. */
const BOOKS = {
  left: "8e1d7c1e-3a52-4c57-9d83-0d1c6f0a7d02",
  right: "8e1d7c1e-3a52-4c57-9d83-0d1c6f0a7d03",
};

/** The books of a bank and of a shop, which agree in part, and the sources that read them. */
export async function storeMatchedBooks(): Promise<void> {
  const books = [
    [BOOKS.left, "bank-books", [12_300n, 500n, 700n, 850n]],
    [BOOKS.right, "shop-books", [12_300n, 500n, 700n, 900n]],
  ] as const;
  for (const [id, ledger, amounts] of books) {
    const client = new LedgerClient(systemContext(env, "test"), ledger);
    await client.create();
    for (const [place, amount] of amounts.entries()) {
      const posting = { source: "world", destination: "bank:main", asset: "EUR/2", amount };
      const metadata = place === 0 ? { order: "Order 2026/17" } : {};
      const transaction = {
        postings: [posting],
        timestamp: `2026-03-1${place}T09:00:00Z`,
        metadata,
      };
      await client.commit(transaction, { idempotencyKey: `examples-${place}` });
    }
    const fields = { kind: "accounts", ledger, account: "bank:main", direction: "both" };
    const definition = { ...fields, negate: false, references: { endToEndId: "order" } };
    const now = parseTimestamp("2026-03-01T09:00:00Z");
    await databaseOf(env)
      .insert(reconciliationSources)
      .values({
        id,
        name: ledger,
        kind: "accounts",
        definition: JSON.stringify(definition),
        ledgers: JSON.stringify([ledger]),
        hasPayments: false,
        createdAt: present(now, "the text is a timestamp"),
        updatedAt: present(now, "the text is a timestamp"),
        createdBy: "examples",
      });
  }
}
