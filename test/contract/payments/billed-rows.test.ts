import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { requireConnector } from "#modules/payments/installs/store.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { OutboxStore } from "#platform/events/outbox-store.ts";
import { fromMillis } from "#platform/time.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { account, balance, payment } from "#test/support/payments/provider-objects.ts";

/** The rows that D1 bills for objects of a provider, in pages of a hundred, with their events and the deletion of the events. */

const ITEMS = 100;
const context = systemContext(env, "test");
const { id } = await storeConnector();
const connector = await requireConnector(context, id);

/** Stores a page and its events without announcing the events, and confirms them. */
async function billedRows({ statements, events }: PreparedPage): Promise<number> {
  let rows = 0;
  const counting = new Proxy(env.DB, {
    get: (target, name: keyof D1Database) =>
      name === "batch"
        ? async (batch: D1PreparedStatement[]) => {
            const results = await target.batch(batch);
            rows += results.reduce((sum, { meta }) => sum + meta.rows_written, 0);
            return results;
          }
        : target[name].bind(target),
  });
  const db = databaseOf({ DB: counting });
  const insertion = new OutboxStore(db).insert(events, fromMillis(Date.parse("2126-01-01")));
  await db.batch([insertion, ...statements]);
  const deletion = env.DB.prepare(
    "DELETE FROM outbox WHERE id IN (SELECT value FROM json_each(?))",
  );
  const { meta } = await deletion.bind(JSON.stringify(events.map(({ event }) => event.id))).run();
  return rows + meta.rows_written;
}

const many = <T>(itemOf: (place: number) => T): T[] =>
  Array.from({ length: ITEMS }, (_, place) => itemOf(place));

test("a payment with accounts, metadata and its event is billed with ten rows at most", async () => {
  const payments = many((place) =>
    payment(`pay-${place}`, {
      sourceReference: "from",
      destinationReference: "to",
      psuId: "user",
      metadata: { order: `${place}`, channel: "web" },
    }),
  );
  const opened = await billedRows(await preparePayments(context, { connector, payments }));
  expect(opened / ITEMS).toBeLessThanOrEqual(10);
  expect(opened / ITEMS).toBeGreaterThan(5);
  const refunds = payments.map((item) => ({
    ...item,
    reference: `${item.reference}-refund`,
    parentReference: item.reference,
    status: "REFUNDED" as const,
  }));
  const changed = await billedRows(
    await preparePayments(context, { connector, payments: refunds }),
  );
  expect(changed / ITEMS).toBeLessThanOrEqual(10);
});

test("an account and a balance, with their events, are billed with ten rows at most", async () => {
  const accounts = many((place) => account(`acc-${place}`, { metadata: { tier: "gold" } }));
  const page = await prepareAccounts(context, { connector, type: "INTERNAL", accounts });
  expect((await billedRows(page)) / ITEMS).toBeLessThanOrEqual(10);
  for (const seconds of [0, 1]) {
    const balances = many((place) => ({
      ...balance(BigInt(seconds), seconds),
      accountReference: `acc-${place}`,
    }));
    const rows = await billedRows(await prepareBalances(context, { connector, balances }));
    expect(rows / ITEMS).toBeLessThanOrEqual(12);
  }
});
