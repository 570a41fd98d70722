import { MERGE_LOG_ROWS, MERGE_LOG_STATEMENTS, MERGED_LOG } from "./steps/merge-log.ts";
import type { Step } from "#platform/sql/step.ts";

/** The tables that the second step does not change. */
const TABLES: readonly string[] = [
  // imported_log: the last entry that was imported, null if there is none. deleted_at: the date of the ledger's
  // deletion. deletion_revision: the revision of the last known deletion or restoration; calls with a lower revision are
  // late, and ignored.
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
  // The authors of log entries. A row of `authorship` has up to 32 changes of the author from its entry on; see
  // `Authorship`. Neither table can be derived from the log.
  `CREATE TABLE author (
    id INTEGER PRIMARY KEY, issuer TEXT NOT NULL, subject TEXT NOT NULL, client_id TEXT NOT NULL,
    UNIQUE (client_id, subject, issuer)
  ) STRICT`,
  `CREATE TABLE authorship (log INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT`,
  // The number of causes that led to an entry, if there were any; see `CausationDepths`.
  `CREATE TABLE causation (log INTEGER PRIMARY KEY, depth INTEGER NOT NULL) STRICT`,
  // role: 0 destination, 1 source, 2 both; 4 is added where a side moved a zero amount. Volumes are integers up to
  // 2^53, and decimal text above. The effective deltas are the effective volumes minus the volumes: many moves of an
  // account in a row have equal deltas.
  `CREATE TABLE move (
    account INTEGER NOT NULL, asset INTEGER NOT NULL, tx INTEGER NOT NULL, role INTEGER NOT NULL,
    input ANY NOT NULL, output ANY NOT NULL,
    timestamp INTEGER, effective_delta_input ANY, effective_delta_output ANY,
    PRIMARY KEY (account, asset, tx)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX move_dated ON move (account, asset, timestamp, tx) WHERE timestamp IS NOT NULL`,
  // Moves of zero amounts, which a search by volumes cannot find; see `MovesByRole`.
  `CREATE INDEX move_zero_amount ON move (account, asset, tx) WHERE role >= 4`,
  // Metadata pairs by hash. scope: 0 a transaction has the pair now, 1 a transaction had it before, 2 an account has
  // it now, 3 an account had it before.
  `CREATE TABLE metadata_index (
    scope INTEGER NOT NULL, key INTEGER NOT NULL, value INTEGER NOT NULL, target INTEGER NOT NULL,
    PRIMARY KEY (scope, key, value, target)
  ) STRICT, WITHOUT ROWID`,
  // The log entry contains the schema itself. An imported schema keeps its date.
  `CREATE TABLE schema (log INTEGER PRIMARY KEY, version TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT`,
  // Remarks about what is unusual in an imported entry: a list of sentences in JSON.
  `CREATE TABLE import_note (log INTEGER PRIMARY KEY, notes TEXT NOT NULL) STRICT`,
];

/** The table of log entries about metadata. kind: 0 about a transaction after its creation, 1 about an account. */
const metadataLog = (more: string): string => `CREATE TABLE metadata_log (
    kind INTEGER NOT NULL, target INTEGER NOT NULL, log INTEGER NOT NULL, ${more} PRIMARY KEY (kind, target, log)
  ) STRICT, WITHOUT ROWID`;

/** The tables of the first step that the second one changes. */
const LOG: readonly string[] = [
  // Dates are microseconds since 1970. Only a key of an imported log can lack its hash. The checksum is 48 bits
  // over the part of the entry that the hash chain does not cover. Most rows have none, because the chain covers
  // all of the entry.
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
 * of `ledger` or `migration`: code that can't open the ledger reads these two tables, too.
 *
 *     the log        tx              entries that made a transaction, by its id; its reference, metadata and reversal
 *                    entry           all other entries, by their own ids
 *     beside it      author, authorship, causation, import_note    facts about entries that no other table has
 *     names          account, asset  the integers in payloads and moves; an account also has its dates and metadata
 *     derived        move            (account, asset, tx) → the volumes of the account after the transaction
 *                    metadata_index  (scope, key, value, target), for filters by metadata
 *                    metadata_log    (kind, target, log), for metadata at a point in time
 *                    schema          version → the entry with the schema
 *     the ledger     ledger          one row: name, features, state of events and of the deletion
 *
 * Transaction 7, whose log entry is 8, moves 100 of asset 1 from account 3, which had received 500 and sent 200, to the
 * new account 4:
 *
 *     tx     id 7   place 2 = 2 × (8 − 7) + 0 (no revert)   date …   payload "3,4,100"   hash …
 *     move   (3, 1, 7)   role 1 (source)         input 500   output 300
 *            (4, 1, 7)   role 0 (destination)    input 100   output 0
 *
 * The log is the truth: `move`, `metadata_index`, `metadata_log` and `schema`, and the state in the other columns, can be
 * derived from it with the names. The first step has one table for all entries; the second step moves each entry that
 * made a transaction into the row of the transaction. The last move of an account and asset has their current volumes.
 * A column that most rows do not need is null, which takes a byte: a `timestamp` that equals the log date, effective
 * volumes that equal the volumes. For this reason indexes are partial.
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
