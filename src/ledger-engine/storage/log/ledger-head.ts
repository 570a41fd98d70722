import { toBase64 } from "./entry-hashes.ts";
import { readHead } from "./log-tables.ts";
import type { LedgerHead } from "#ledger-engine/rules/reads.ts";
import { first, type Sql } from "#platform/sql/sql.ts";

/** Reads how far the ledger has come. */
export function readLedgerHead(sql: Sql): LedgerHead {
  const head = readHead(sql);
  const [lastHash = ""] = head === undefined ? [] : toBase64([head.hash]);
  const { published, imported } = first(
    sql.all<{ published: number; imported: number | null }>(
      "SELECT published_log AS published, imported_log AS imported FROM ledger",
    ),
  );
  return {
    lastLogId: head?.id ?? -1,
    lastHash,
    publishedLogId: published,
    importedLogId: imported ?? undefined,
  };
}
