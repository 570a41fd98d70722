import { countWithin } from "#ledger-engine/rules/limits.ts";
import { logChecksum } from "#ledger-engine/storage/log/log-checksum.ts";
import { first, type Sql } from "#platform/sql/sql.ts";
import type { RowWork } from "#platform/sql/step.ts";

/*
 * The second step of a ledger's tables: `log` and `tx` become one table, `tx`, and the entries that made no transaction
 * move to `entry`. The step first renames the old tables, then moves their rows in slices, so that each row is either in
 * the old tables or in the new ones:
 *
 *     log, tx ──► log_before, tx_before ──┬──► tx      entries that made a transaction, with the state of the transaction
 *                                         └──► entry   all other entries
 */

/** The limits of a slice, in rows and in bytes of payloads and of current metadata. */
const ROWS_MAX = 2000;
const BYTES_MAX = 2_000_000;

/** The tables and indexes of the log after the step. */
export const MERGED_LOG: readonly string[] = [
  // place: 2 × (id of the log entry − id of the transaction) + 1 for a revert; a small integer that many rows share.
  // seal: null for most rows; else the checksum (6 bytes), followed by a zero byte and the hash of the inputs if the entry
  // has one.
  `CREATE TABLE tx (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL, date INTEGER NOT NULL,
    payload TEXT NOT NULL, hash BLOB, key TEXT, seal BLOB,
    timestamp INTEGER, reference TEXT, metadata TEXT, updated_at INTEGER, reverted_at INTEGER,
    log INTEGER GENERATED ALWAYS AS (id + (place >> 1)) VIRTUAL,
    type INTEGER GENERATED ALWAYS AS (place & 1) VIRTUAL,
    checksum BLOB GENERATED ALWAYS AS (substr(seal, 1, 6)) VIRTUAL,
    key_hash BLOB GENERATED ALWAYS AS (iif(length(seal) > 6, substr(seal, 8), NULL)) VIRTUAL
  ) STRICT`,
  `CREATE UNIQUE INDEX tx_key ON tx (key) WHERE key IS NOT NULL`,
  `CREATE INDEX tx_type ON tx (type) WHERE type <> 0`,
  `CREATE UNIQUE INDEX tx_reference ON tx (reference) WHERE reference IS NOT NULL`,
  `CREATE INDEX tx_dated ON tx (timestamp, id) WHERE timestamp IS NOT NULL`,
  `CREATE INDEX tx_updated ON tx (updated_at, id) WHERE updated_at IS NOT NULL`,
  `CREATE INDEX tx_reverted ON tx (reverted_at) WHERE reverted_at IS NOT NULL`,
  `CREATE INDEX tx_reverted_id ON tx (id) WHERE reverted_at IS NOT NULL`,
  // The entries of the log that made no transaction.
  `CREATE TABLE entry (
    id INTEGER PRIMARY KEY, date INTEGER NOT NULL, type INTEGER NOT NULL,
    payload TEXT NOT NULL, hash BLOB, key TEXT, key_hash BLOB, checksum INTEGER
  ) STRICT`,
  `CREATE UNIQUE INDEX entry_key ON entry (key) WHERE key IS NOT NULL`,
  `CREATE INDEX entry_type ON entry (type) WHERE type <> 0`,
];

export const MERGE_LOG_STATEMENTS: readonly string[] = [
  "ALTER TABLE log RENAME TO log_before",
  "ALTER TABLE tx RENAME TO tx_before",
  ...["log_key", "log_type", "tx_reference"].map((name) => `DROP INDEX ${name}`),
  ...["tx_dated", "tx_updated", "tx_reverted", "tx_reverted_id"].map(
    (name) => `DROP INDEX ${name}`,
  ),
  ...MERGED_LOG,
  // tx: the transaction that the entry made, besides setting metadata of an account.
  "ALTER TABLE metadata_log ADD COLUMN tx INTEGER",
];

/** No code can read rows of the old and the new tables together, so that the ledger is closed while rows move. */
export const MERGE_LOG_ROWS: RowWork = {
  isServedMeanwhile: false,
  slice: (sql, cursor) => {
    const { table, place } = parseCursor(cursor);
    return table === "metadata_log" ? noteTransactions(sql, place) : moveEntries(sql, place[1]);
  },
};

/**
 * Parses a cursor: `target,log`, the last row of `metadata_log` that was handled, or `log,id`, the last entry that was moved.
 * `metadata_log` comes first, because its rows get their transactions from the old table.
 */
function parseCursor(cursor: string): { table: "metadata_log" | "log"; place: [number, number] } {
  const [target = "", log] = cursor.split(",");
  if (target === "log") return { table: "log", place: [0, Number(log ?? 0)] };
  return {
    table: "metadata_log",
    place: log === undefined ? [-1, -1] : [Number(target), Number(log)],
  };
}

/**
 * Fills the column `tx` of `metadata_log`. Only entries about accounts, whose kind is 1, may have made a transaction. Returns the
 * next cursor.
 */
function noteTransactions(sql: Sql, [target, log]: readonly [number, number]): string {
  const { last, rows } = first(
    sql.all<{ last: string | null; rows: number }>(
      `SELECT count(*) AS rows, (
          SELECT target || ',' || log FROM metadata_log WHERE kind = 1 AND (target, log) > (?1, ?2)
            ORDER BY target, log LIMIT 1 OFFSET ?3 - 1
        ) AS last FROM (
          SELECT 1 FROM metadata_log WHERE kind = 1 AND (target, log) > (?1, ?2) LIMIT ?3 + 0)`,
      target,
      log,
      ROWS_MAX,
    ),
  );
  const [lastTarget, lastLog] = last?.split(",").map(Number) ?? [];
  sql.all(
    `UPDATE metadata_log SET tx = (SELECT tx FROM log_before WHERE log_before.id = metadata_log.log)
      WHERE kind = 1 AND (target, log) > (?, ?) AND (target, log) <= (?, ?)`,
    target,
    log,
    lastTarget ?? Number.MAX_SAFE_INTEGER,
    lastLog ?? Number.MAX_SAFE_INTEGER,
  );
  return last === null || rows < ROWS_MAX ? "log" : last;
}

/**
 * Moves the first entries of the old tables, after the entry `previous` (0 if none was moved yet). Returns the next cursor;
 * undefined after the last entry.
 */
function moveEntries(sql: Sql, previous: number): string | undefined {
  const found = sql.all<EntrySizeRow>(
    `SELECT id, tx, ${SIZE} AS size, hash IS NOT NULL AND checksum IS NULL AND key_hash IS NULL AS isBare,
        key IS NOT NULL AS isKeyed
      FROM log_before ORDER BY id LIMIT ? + 0`,
    ROWS_MAX,
  );
  const entries = found.slice(
    0,
    countWithin(found, BYTES_MAX, ({ size }) => size),
  );
  const last = entries.at(-1)?.id;
  if (last === undefined) {
    sql.all("DROP TABLE log_before");
    sql.all("DROP TABLE tx_before");
    return undefined;
  }
  // No entry is left out, not even one whose row of `tx` is missing in a damaged ledger.
  sql.all(
    `INSERT INTO tx (id, place, date, payload, hash, key, seal, ${STATE_COLUMNS})
      SELECT tx, 2 * (log_before.id - tx) + type, date, ${PAYLOAD}, hash, key, ${SEAL}, ${STATE_COLUMNS}
        FROM log_before LEFT JOIN tx_before ON tx_before.id = log_before.tx
        WHERE log_before.id <= ? AND tx IS NOT NULL ORDER BY log_before.id`,
    last,
  );
  sql.all(
    `INSERT INTO entry (id, ${ENTRY_COLUMNS}) SELECT id, ${ENTRY_COLUMNS} FROM log_before WHERE id <= ? AND tx IS NULL`,
    last,
  );
  addChecksums(sql, entries, previous);
  sql.all("DELETE FROM tx_before WHERE id <= (SELECT max(tx) FROM log_before WHERE id <= ?)", last);
  sql.all("DELETE FROM log_before WHERE id <= ?", last);
  return `log,${last}`;
}

/**
 * Adds checksums to entries after a gap between ids, and to entries with a key. Both need one in the new tables, where one
 * row holds both ids, and one column both the checksum and the hash of the inputs.
 */
function addChecksums(sql: Sql, entries: readonly EntrySizeRow[], previous: number): void {
  let before = previous;
  for (const { id, tx, isBare, isKeyed } of entries) {
    if (tx !== null && isBare === 1 && (isKeyed === 1 || id !== before + 1)) {
      const checksum = logChecksum({ id, tx, memento: "", ...NOTHING_MORE });
      sql.all("UPDATE tx SET seal = unhex(?) WHERE id = ?", checksum, tx);
    }
    before = id;
  }
}

const NOTHING_MORE = { keyHash: undefined, schemaVersion: undefined, template: undefined };

type EntrySizeRow = {
  id: number;
  tx: number | null;
  size: number;
  isBare: number;
  isKeyed: number;
};

const SIZE = `octet_length(payload)
  + coalesce((SELECT octet_length(metadata) FROM tx_before WHERE tx_before.id = log_before.tx), 0)`;
const ENTRY_COLUMNS = "date, type, payload, hash, key, key_hash, checksum";
const STATE_COLUMNS = "timestamp, reference, metadata, updated_at, reverted_at";

/** The payload as a JSON list. From a single posting of the asset 1, the asset is removed. */
const LIST =
  "iif(json_array_length(payload) <= 5 AND payload ->> 2 = 1, json_remove(payload, '$[2]'), payload)";
const PAYLOAD = `substr(${LIST}, 2, length(${LIST}) - 2)`;

const SEAL = `iif(checksum IS NULL AND key_hash IS NULL, NULL, unhex(
  format('%012x', coalesce(checksum, 0)) || iif(key_hash IS NULL, '', '00' || hex(key_hash))))`;
