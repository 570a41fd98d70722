import { MERGE_LOG_ROWS, MERGE_LOG_STATEMENTS, MERGED_LOG } from "./steps/merge-log.ts";
import type { Step } from "#platform/sql/step.ts";

/** The tables that the second step leaves as they are. */
const TABLES: readonly string[] = [
  // imported_log: the last entry that was imported, null where there is none. deleted_at: the date of the ledger's
  // deletion. deletion_revision: the last deletion or restoration that the object knows of; a call with a lower one
  // comes late.
  `CREATE TABLE ledger (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    uuid TEXT NOT NULL, name TEXT NOT NULL, bucket TEXT NOT NULL, features TEXT NOT NULL,
    published_log INTEGER NOT NULL DEFAULT 0, imported_log INTEGER,
    deleted_at INTEGER, deletion_revision INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  `CREATE TABLE asset (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT`,
  `CREATE TABLE account (
    id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE,
    first_usage INTEGER NOT NULL, inserted_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, metadata TEXT
  ) STRICT`,
  `CREATE INDEX account_first_usage ON account (first_usage)`,
  `CREATE INDEX account_updated ON account (updated_at)`,
  // Who wrote which entries. A row of `authorship` has up to 32 changes of the author from its entry on; see
  // `Authorship`. Neither table can be derived from the log.
  `CREATE TABLE author (
    id INTEGER PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    UNIQUE (client_id, subject, issuer)
  ) STRICT`,
  `CREATE TABLE authorship (log INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT`,
  // How many causes led to an entry, where there were any; see `CausationDepths`.
  `CREATE TABLE causation (log INTEGER PRIMARY KEY, depth INTEGER NOT NULL) STRICT`,
  // role: 0 destination, 1 source, 2 both; 4 is added where a side moved a zero amount. Volumes are integers up to
  // 2^53, and decimal text above. The effective deltas say by how much the effective volumes exceed the volumes,
  // which is the same for many moves.
  `CREATE TABLE move (
    account INTEGER NOT NULL, asset INTEGER NOT NULL, tx INTEGER NOT NULL, role INTEGER NOT NULL,
    input ANY NOT NULL, output ANY NOT NULL,
    timestamp INTEGER, effective_delta_input ANY, effective_delta_output ANY,
    PRIMARY KEY (account, asset, tx)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX move_dated ON move (account, asset, timestamp, tx) WHERE timestamp IS NOT NULL`,
  // Outputs never decrease. With these moves at hand, a binary search can therefore find the last move as a source,
  // and likewise as a destination.
  `CREATE INDEX move_zero_amount ON move (account, asset, tx) WHERE role >= 4`,
  // Metadata pairs by hash. scope: 0 a transaction has the pair now, 1 a transaction had it before, 2 and 3 the
  // same for an account.
  `CREATE TABLE metadata_index (
    scope INTEGER NOT NULL, key INTEGER NOT NULL, value INTEGER NOT NULL, target INTEGER NOT NULL,
    PRIMARY KEY (scope, key, value, target)
  ) STRICT, WITHOUT ROWID`,
  // The log entry contains the schema itself. An imported schema keeps its date.
  `CREATE TABLE schema (log INTEGER PRIMARY KEY, version TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT`,
  // What is odd about imported entries: a list of sentences in JSON.
  `CREATE TABLE import_note (log INTEGER PRIMARY KEY, notes TEXT NOT NULL) STRICT`,
];

/** Log entries about metadata. kind: 0 about a transaction after its creation, 1 about an account. */
const metadataLog = (more: string): string => `CREATE TABLE metadata_log (
    kind INTEGER NOT NULL, target INTEGER NOT NULL, log INTEGER NOT NULL, ${more} PRIMARY KEY (kind, target, log)
  ) STRICT, WITHOUT ROWID`;

/** The tables of the first step that the second one changes. */
const LOG: readonly string[] = [
  // Dates are microseconds since 1970. Only a key of an imported log can lack its hash. The checksum is 48 bits
  // over what the hash chain does not cover; it is null where the chain covers everything, which holds for most
  // rows.
  `CREATE TABLE log (
    id INTEGER PRIMARY KEY, date INTEGER NOT NULL, type INTEGER NOT NULL, tx INTEGER,
    payload TEXT NOT NULL, hash BLOB, key TEXT, key_hash BLOB, checksum INTEGER
  ) STRICT`,
  `CREATE UNIQUE INDEX log_key ON log (key) WHERE key IS NOT NULL`,
  `CREATE INDEX log_type ON log (type) WHERE type <> 0`,
  `CREATE TABLE tx (
    id INTEGER PRIMARY KEY, log INTEGER NOT NULL, timestamp INTEGER, reference TEXT,
    metadata TEXT, updated_at INTEGER, reverted_at INTEGER
  ) STRICT`,
  `CREATE UNIQUE INDEX tx_reference ON tx (reference) WHERE reference IS NOT NULL`,
  `CREATE INDEX tx_dated ON tx (timestamp, id) WHERE timestamp IS NOT NULL`,
  `CREATE INDEX tx_updated ON tx (updated_at, id) WHERE updated_at IS NOT NULL`,
  `CREATE INDEX tx_reverted ON tx (reverted_at) WHERE reverted_at IS NOT NULL`,
  `CREATE INDEX tx_reverted_id ON tx (id) WHERE reverted_at IS NOT NULL`,
  metadataLog(""),
];

/**
 * The tables of a ledger, in numbered steps. A step that was released never changes, and none renames or removes a column
 * of `ledger` or `migration`: code that can't open the ledger reads them, too.
 *
 * The log is the truth: every other row can be derived from it, and from `account` and `asset`, which name the integers
 * in its payloads. Only the authors of its entries, their causes and the notes of imports are known nowhere else. The first step has a table for the log, the
 * second one gives its entries to the transactions that they made. A `move` is what one transaction did to one account and
 * asset, with the volumes after it, so that the last move has the current volumes. What most rows lack is null and costs
 * a byte: a `timestamp` that equals the log date, effective volumes that equal the volumes. Indexes are partial for the
 * same reason.
 */
export const STEPS: readonly Step[] = [
  {
    name: "Tables of a ledger",
    statements: [...TABLES, ...LOG],
  },
  {
    name: "Transactions with their log entries",
    statements: MERGE_LOG_STATEMENTS,
    fresh: [...TABLES, ...MERGED_LOG, metadataLog("tx INTEGER,")],
    rows: MERGE_LOG_ROWS,
  },
];
