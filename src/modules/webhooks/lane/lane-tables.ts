import { TableSteps } from "#platform/sql/table-steps.ts";

/**
 * The tables of one lane, in the storage of its object. Times are milliseconds: `due_ms` by the clock of the lane, the others by
 * that of the machine. A status is its place in `STORED_STATUSES`; a delivery that is under way is pending here.
 *
 * A delivery that one attempt finished costs three rows: its own, written twice, and one of the index by status; a message that
 * brings it alone costs a fourth one, in `received`. So that it is no more, its last attempt is kept in its own row, and moves to `attempt` when the next one comes; deliveries that were never
 * attempted are found behind `lane.head`; and the events of a ledger that have come already are known as ranges of its log.
 */
const STATEMENTS = [
  `CREATE TABLE lane (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    spec TEXT NOT NULL,
    breaker TEXT NOT NULL,
    offset_ms INTEGER NOT NULL,
    last_ms INTEGER NOT NULL,
    head INTEGER NOT NULL,
    purged_ms INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE origin (
    id INTEGER PRIMARY KEY,
    source TEXT NOT NULL,
    ledger TEXT NOT NULL,
    uuid TEXT NOT NULL UNIQUE
  ) STRICT`,
  `CREATE TABLE received (
    origin INTEGER NOT NULL,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (origin, first)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE name (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT`,
  `CREATE TABLE delivery (
    seq INTEGER PRIMARY KEY,
    origin INTEGER NOT NULL,
    position ANY NOT NULL,
    type INTEGER NOT NULL,
    key TEXT,
    status INTEGER NOT NULL,
    created_ms INTEGER NOT NULL,
    updated_ms INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    waited_ms INTEGER NOT NULL,
    cycle_ms INTEGER,
    due_ms INTEGER,
    last_number INTEGER,
    last_generation INTEGER,
    last_ms INTEGER,
    last_endpoint INTEGER,
    last_outcome INTEGER,
    last_code INTEGER,
    last_took_ms INTEGER,
    last_error TEXT
  ) STRICT`,
  `CREATE INDEX delivery_final ON delivery (status, seq) WHERE status > 0`,
  `CREATE INDEX delivery_due ON delivery (due_ms, seq) WHERE status = 0 AND due_ms IS NOT NULL`,
  `CREATE INDEX delivery_waiting ON delivery (seq) WHERE status = 0 AND due_ms IS NOT NULL`,
  `CREATE UNIQUE INDEX delivery_event ON delivery (position) WHERE origin = 0`,
  `CREATE TABLE attempt (
    seq INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    endpoint INTEGER NOT NULL,
    outcome INTEGER NOT NULL,
    code INTEGER NOT NULL,
    took_ms INTEGER NOT NULL,
    error TEXT,
    PRIMARY KEY (seq, generation, number)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE excerpt (
    seq INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    number INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (seq, generation, number)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE ending (
    seq INTEGER PRIMARY KEY,
    status INTEGER NOT NULL,
    error TEXT
  ) STRICT`,
  `CREATE TABLE replay (
    request TEXT PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    result TEXT NOT NULL
  ) STRICT, WITHOUT ROWID`,
];

/** The tables of a lane, which exist once the lane has a config. */
export const LANE_TABLES = new TableSteps("the lane of the endpoint", [
  { name: "The tables of a lane", statements: STATEMENTS },
]);

/** The statuses that are stored for deliveries, by number. */
export const STORED_STATUSES = ["pending", "succeeded", "failed", "cancelled"] as const;
export type StoredStatus = (typeof STORED_STATUSES)[number];
export const PENDING = 0;
export const statusNumber = (status: StoredStatus): number => STORED_STATUSES.indexOf(status);

/** The outcomes of attempts, by number. */
export const OUTCOMES = ["succeeded", "retryable_failure", "permanent_failure"] as const;

/** The origin of the events that are no entries of a ledger: their position is their id. */
export const OUTBOX_ORIGIN = 0;
