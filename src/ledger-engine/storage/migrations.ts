import { toTags } from "./tag-migration.ts";
import { amountText, type Sql, type StoredAmount } from "#platform/sql/sql.ts";

/**
 * The tables of a ledger, in numbered steps; a released step never changes.
 *
 * `log` is the truth: every other row follows from it, and from `account` and `asset`, which give the integers in its
 * payloads their names. A `move` is what one transaction did to one account and asset, with the volumes after it, so
 * that the last move is the current volume. What most rows lack is null and costs a byte: a `timestamp` that equals the
 * log date, effective volumes that equal the volumes. Indexes are partial for the same reason.
 */
const STEPS: readonly Step[] = [
  [
    `CREATE TABLE ledger (
      one INTEGER PRIMARY KEY CHECK (one = 1),
      uuid TEXT NOT NULL, name TEXT NOT NULL, bucket TEXT NOT NULL, features TEXT NOT NULL,
      published_log INTEGER NOT NULL DEFAULT 0
    ) STRICT`,
    `CREATE TABLE asset (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT`,
    `CREATE TABLE account (
      id INTEGER PRIMARY KEY, address TEXT NOT NULL UNIQUE,
      first_usage INTEGER NOT NULL, inserted_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, metadata TEXT
    ) STRICT`,
    // Dates are microseconds since 1970. An idempotency key without hash is one of an imported log.
    `CREATE TABLE log (
      id INTEGER PRIMARY KEY, date INTEGER NOT NULL, type INTEGER NOT NULL, tx INTEGER,
      payload TEXT NOT NULL, hash BLOB, key TEXT, key_hash BLOB
    ) STRICT`,
    `CREATE UNIQUE INDEX log_key ON log (key) WHERE key IS NOT NULL`,
    `CREATE TABLE tx (
      id INTEGER PRIMARY KEY, log INTEGER NOT NULL, timestamp INTEGER, reference TEXT,
      metadata TEXT, updated_at INTEGER, reverted_at INTEGER
    ) STRICT`,
    `CREATE UNIQUE INDEX tx_reference ON tx (reference) WHERE reference IS NOT NULL`,
    `CREATE INDEX tx_dated ON tx (timestamp, id) WHERE timestamp IS NOT NULL`,
    `CREATE INDEX tx_updated ON tx (updated_at, id) WHERE updated_at IS NOT NULL`,
    // role: 0 destination, 1 source, 2 both. Volumes are integers up to 2^53, decimal text above.
    `CREATE TABLE move (
      account INTEGER NOT NULL, asset INTEGER NOT NULL, tx INTEGER NOT NULL, role INTEGER NOT NULL,
      input ANY NOT NULL, output ANY NOT NULL,
      timestamp INTEGER, effective_input ANY, effective_output ANY,
      PRIMARY KEY (account, asset, tx)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX move_dated ON move (account, asset, timestamp, tx) WHERE timestamp IS NOT NULL`,
  ],
  [
    // 48 bits over what no hash of the chain covers, which few rows have; null where the chain covers all.
    `ALTER TABLE log ADD COLUMN checksum INTEGER`,
    // By how much the effective volumes exceed the volumes: the same number for many later moves.
    `ALTER TABLE move RENAME COLUMN effective_input TO shift_input`,
    `ALTER TABLE move RENAME COLUMN effective_output TO shift_output`,
    toShifts,
  ],
  [
    // The last entry that was imported; null where none was.
    `ALTER TABLE ledger ADD COLUMN imported_log INTEGER`,
    `CREATE INDEX tx_reverted ON tx (reverted_at) WHERE reverted_at IS NOT NULL`,
    `CREATE INDEX tx_reverted_id ON tx (id) WHERE reverted_at IS NOT NULL`,
    `CREATE INDEX account_first_usage ON account (first_usage)`,
    `CREATE INDEX account_updated ON account (updated_at)`,
    `CREATE INDEX log_type ON log (type) WHERE type <> 0`,
    // A role has 4 more where a side moved nothing. Outputs never decrease, so that with these moves at hand the last one
    // as a source, or as a destination, is found by halves.
    `UPDATE move SET role = role + 4 WHERE (account, asset, tx) IN (
      SELECT account, asset, tx FROM (
        SELECT account, asset, tx, role, input = lag(input, 1, 0) OVER moves AS same_input,
            output = lag(output, 1, 0) OVER moves AS same_output
          FROM move WINDOW moves AS (PARTITION BY account, asset ORDER BY tx)
      ) WHERE (role <> 0 AND same_output) OR (role <> 1 AND same_input)
    )`,
    `CREATE INDEX move_idle ON move (account, asset, tx) WHERE role >= 4`,
    // Metadata pairs by hash. scope: 0 of a transaction now, 1 of a transaction before, 2 and 3 the same of an account.
    `CREATE TABLE tag (
      scope INTEGER NOT NULL, key INTEGER NOT NULL, value INTEGER NOT NULL, target INTEGER NOT NULL,
      PRIMARY KEY (scope, key, value, target)
    ) STRICT, WITHOUT ROWID`,
    // Entries about metadata. kind: 0 of a transaction after its creation, 1 of an account.
    `CREATE TABLE history (
      kind INTEGER NOT NULL, target INTEGER NOT NULL, log INTEGER NOT NULL, PRIMARY KEY (kind, target, log)
    ) STRICT, WITHOUT ROWID`,
    `INSERT INTO history SELECT 0, payload ->> 0, id FROM log
      WHERE type <> 0 AND type >= 2 AND json_type(payload, '$[0]') = 'integer'
        AND (SELECT features ->> 'TRANSACTION_METADATA_HISTORY' FROM ledger) = 'SYNC'`,
    `INSERT INTO history SELECT 1, account.id, log.id
      FROM log CROSS JOIN json_each(log.payload, '$[#-1].a') AS named CROSS JOIN account ON account.address = named.key
      WHERE log.type = 0 AND substr(log.payload, -2) = '}]'
        AND (SELECT features ->> 'ACCOUNT_METADATA_HISTORY' FROM ledger) = 'SYNC'`,
    `INSERT INTO history SELECT 1, account.id, log.id FROM log CROSS JOIN account ON account.address = log.payload ->> 0
      WHERE log.type <> 0 AND log.type = 2 AND json_type(log.payload, '$[0]') = 'text'
        AND (SELECT features ->> 'ACCOUNT_METADATA_HISTORY' FROM ledger) = 'SYNC'`,
    // A deletion counts where the account was there: an earlier entry names it, or has moved something.
    `INSERT INTO history SELECT 1, account.id, log.id FROM log CROSS JOIN account ON account.address = log.payload ->> 0
      WHERE log.type <> 0 AND log.type = 3 AND json_type(log.payload, '$[0]') = 'text'
        AND (SELECT features ->> 'ACCOUNT_METADATA_HISTORY' FROM ledger) = 'SYNC'
        AND (
          EXISTS (SELECT 1 FROM history AS earlier
            WHERE earlier.kind = 1 AND earlier.target = account.id AND earlier.log < log.id)
          OR (SELECT min(tx.log) FROM asset CROSS JOIN tx
            ON tx.id = (SELECT min(move.tx) FROM move WHERE move.account = account.id AND move.asset = asset.id)) < log.id
        )`,
    toTags,
  ],
  [
    // Since when the ledger is hidden, in microseconds; null where it is not.
    `ALTER TABLE ledger ADD COLUMN deleted_at INTEGER`,
    // The number of the last deletion or restoration that the object knows of; a call with a lower one comes late.
    `ALTER TABLE ledger ADD COLUMN visibility INTEGER NOT NULL DEFAULT 0`,
    // The entry holds the schema itself. Dates are microseconds since 1970; those of imported schemas are as they were.
    `CREATE TABLE schema (log INTEGER PRIMARY KEY, version TEXT NOT NULL UNIQUE, created_at INTEGER NOT NULL) STRICT`,
  ],
];

/** Statements, and what needs arithmetic. */
type Step = readonly (string | ((sql: Sql) => void))[];

/** Volumes become differences to those of their rows. */
function toShifts(sql: Sql): void {
  let after = { account: 0, asset: 0, tx: 0 };
  for (;;) {
    const rows = sql.all<ShiftSqlRow>(
      `SELECT account, asset, tx, input, output, shift_input AS effectiveInput, shift_output AS effectiveOutput FROM move
        WHERE shift_input IS NOT NULL AND (account, asset, tx) > (?, ?, ?) ORDER BY account, asset, tx LIMIT 1000`,
      after.account,
      after.asset,
      after.tx,
    );
    for (const { account, asset, tx, input, output, ...effective } of rows) {
      sql.all(
        `INSERT INTO move (account, asset, tx, role, input, output, shift_input, shift_output)
          SELECT ?, ?, ?, 0, 0, 0, value ->> 0, value ->> 1 FROM json_each(?) WHERE true
          ON CONFLICT (account, asset, tx) DO UPDATE
            SET shift_input = excluded.shift_input, shift_output = excluded.shift_output`,
        account,
        asset,
        tx,
        `[[${amountText(BigInt(effective.effectiveInput) - BigInt(input))},${amountText(BigInt(effective.effectiveOutput) - BigInt(output))}]]`,
      );
    }
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

type ShiftSqlRow = {
  account: number;
  asset: number;
  tx: number;
  input: StoredAmount;
  output: StoredAmount;
  effectiveInput: StoredAmount;
  effectiveOutput: StoredAmount;
};

/** What the steps are for, in order. */
const STEP_NAMES = [
  "Tables of a ledger",
  "Checksums, effective volumes as differences",
  "What reads of metadata, dates and roles need",
  "Schemas, hidden ledgers",
];

/** A step that a ledger has behind it. */
export interface MigrationStep {
  readonly version: string;
  readonly name: string;
}

export const readMigrations = (sql: Sql): MigrationStep[] =>
  sql
    .all<{ step: number }>("SELECT step FROM migration ORDER BY step")
    .map(({ step }) => ({ version: `${step}`, name: STEP_NAMES[step - 1] ?? "" }));

/** Number of the last step. */
export const STEP_LAST = STEPS.length;

/** Whether the object holds a ledger. One that was never created has no tables. */
export const isCreated = (sql: Sql): boolean =>
  sql.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").length > 0;

/** Brings the tables up to date, or up to an earlier step. Does nothing when they are. Throws for tables of a later version. */
export function migrate(sql: Sql, stepMax = STEP_LAST): void {
  sql.transaction(() => {
    sql.all("CREATE TABLE IF NOT EXISTS migration (step INTEGER PRIMARY KEY) STRICT");
    const [row] = sql.all<{ step: number | null }>("SELECT max(step) AS step FROM migration");
    if ((row?.step ?? 0) > STEP_LAST) throw new Error("the ledger was made by a later version");
    for (const [index, statements] of STEPS.entries()) {
      if (index < (row?.step ?? 0) || index >= stepMax) continue;
      for (const work of statements) {
        if (typeof work === "string") sql.all(work);
        else work(sql);
      }
      sql.all("INSERT INTO migration (step) VALUES (?)", index + 1);
    }
  });
}
