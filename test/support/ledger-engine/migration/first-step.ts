import { STEPS } from "#ledger-engine/storage/tables.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Brings the tables of a ledger back to the first migration step, as a version with only this step would have written them. */
export function toFirstStep(sql: Sql): void {
  const [first] = STEPS;
  const isOfLog = (statement: string) => / (?:TABLE|ON) (?:log|tx) /.test(statement);
  sql.all("ALTER TABLE tx RENAME TO tx_merged");
  const indexes = sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE tbl_name = 'tx_merged' AND type = 'index'",
  );
  for (const { name } of indexes) sql.all(`DROP INDEX ${name}`);
  for (const statement of first?.statements.filter(isOfLog) ?? []) sql.all(statement);
  sql.all(`INSERT INTO log SELECT log, date, type, id, payload, hash, key, key_hash, NULL FROM tx_merged
    UNION ALL SELECT id, date, type, NULL, payload, hash, key, key_hash, checksum FROM entry`);
  const entries = sql.all<{ id: number; payload: string; keyed: string | null }>(
    "SELECT log AS id, payload, iif(key_hash IS NULL, NULL, hex(checksum)) AS keyed FROM tx_merged",
  );
  for (const { id, payload, keyed } of entries) {
    // In the first step, all postings named their assets, and an entry after a gap needed no checksum.
    const list = `[${payload.replace(/^(\d+,\d+)(,\d+)(?=$|,\{)/, "$1,1$2")}]`;
    const checksum = keyed === null ? null : Number.parseInt(keyed, 16);
    sql.all("UPDATE log SET payload = ?, checksum = ? WHERE id = ?", list, checksum, id);
  }
  sql.all(
    "INSERT INTO tx SELECT id, log, timestamp, reference, metadata, updated_at, reverted_at FROM tx_merged",
  );
  sql.all("DROP TABLE tx_merged");
  sql.all("DROP TABLE entry");
  sql.all("ALTER TABLE metadata_log DROP COLUMN tx");
  sql.all("DELETE FROM migration WHERE step > 1");
}
