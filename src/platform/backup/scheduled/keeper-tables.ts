import { CREATE_ROWS } from "#platform/backup/saving/saved-rows.ts";
import { TableSteps } from "#platform/sql/table-steps.ts";

/**
 * The tables of the object that keeps backups. Those of a run are empty between two runs: the rows that it has copied (`saved_row`, `saved_piece`), the ledgers
 * that it saves, and the objects that it copies. `bucket_file` is what the bucket has of ledgers and of the files of objects, and `kept_ledger` what the last snapshot relies
 * on of each ledger, and which snapshot has named the ledger last.
 */
const STATEMENTS = [
  ...CREATE_ROWS,
  `CREATE TABLE run_ledger (
    uuid TEXT PRIMARY KEY,
    published INTEGER,
    number INTEGER UNIQUE,
    row TEXT,
    listed TEXT,
    saved TEXT,
    failed TEXT
  ) STRICT, WITHOUT ROWID`,
  "CREATE TABLE run_object (class TEXT, name TEXT, failed TEXT, PRIMARY KEY (class, name)) STRICT, WITHOUT ROWID",
  `CREATE TABLE bucket_file (
    key TEXT PRIMARY KEY,
    bytes INTEGER NOT NULL,
    etag TEXT NOT NULL,
    text TEXT
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE kept_ledger (
    uuid TEXT PRIMARY KEY,
    parts INTEGER NOT NULL,
    parts_sha256 TEXT NOT NULL,
    published INTEGER NOT NULL,
    snapshot TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
];

/**
 * The files of objects: those that a run saves (`run_file`, empty between two runs), and which snapshot has named the bytes with a SHA-256 last
 * (`kept_bytes`).
 */
const FILES = [
  `CREATE TABLE run_file (
    number INTEGER PRIMARY KEY,
    line TEXT NOT NULL,
    outcome TEXT
  ) STRICT`,
  "CREATE TABLE kept_bytes (sha256 TEXT PRIMARY KEY, snapshot TEXT NOT NULL) STRICT, WITHOUT ROWID",
];

export const KEEPER_TABLES = new TableSteps("the keeper of backups", [
  { name: "The keeper of backups", statements: STATEMENTS },
  { name: "The files of objects", statements: FILES },
]);
