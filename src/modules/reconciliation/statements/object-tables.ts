import { TableSteps } from "#platform/sql/table-steps.ts";

/**
 * The tables of one source, in the storage of its object. Times are milliseconds by the machine's clock. The bytes of files are under keys,
 * in pieces; see `FileStore`.
 *
 *     state of a file   means                                              and then
 *     receiving         pieces arrive                                      received; swept if nothing has arrived for long
 *     received          all bytes are there                                stored: the head is in D1
 *     stored            lines are read, and count for nothing yet          judged
 *     judged            all lines are there, or a refusal is known         ready, or dropped: D1 knows
 *     ready             lines count                                        removing
 *     removing          somebody deletes it, and its lines count no more    dropped: the head is gone from D1
 *     dropped           bytes and lines are deleted in slices              no row
 *
 * One file is read at a time, so that the lines of a file have consecutive keys, and those of a file that is not ready have larger keys
 * than all others. `AUTOINCREMENT` uses no key twice, so that a key is a position for ever.
 */
const STATEMENTS = [
  `CREATE TABLE file (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    state TEXT NOT NULL,
    touched_ms INTEGER NOT NULL,
    pieces INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    is_in_bucket INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    spec TEXT,
    verdict TEXT,
    removal TEXT,
    first_line INTEGER,
    last_line INTEGER
  ) STRICT`,
  `CREATE INDEX file_lines ON file (last_line) WHERE state = 'ready'`,
  `CREATE INDEX file_work ON file (state) WHERE state <> 'ready'`,
  `CREATE TABLE line (
    key INTEGER PRIMARY KEY AUTOINCREMENT,
    file INTEGER NOT NULL,
    day INTEGER NOT NULL,
    value_date TEXT,
    amount ANY NOT NULL,
    asset TEXT NOT NULL,
    fee ANY,
    texts TEXT NOT NULL,
    category TEXT,
    file_line INTEGER NOT NULL,
    raw TEXT NOT NULL
  ) STRICT`,
  // How far each matching has collected the lines.
  `CREATE TABLE collector (matching TEXT PRIMARY KEY, key INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
];

export const STATEMENT_SOURCE_TABLES = new TableSteps("the source of statements", [
  { name: "Files and their lines", statements: STATEMENTS },
]);
