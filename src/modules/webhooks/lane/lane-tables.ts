import { TableSteps } from "#platform/sql/table-steps.ts";

/**
 * The tables of one lane, in the storage of its object. Times are milliseconds: `due_ms` by the clock of the lane, the others by
 * that of the machine. `status` is an index of `STORED_STATUSES`; a delivery that is under way is stored as pending.
 *
 *     rows of `delivery`          status   due_ms   found by
 *     never attempted             0        null     seq, from `lane.head` on
 *     waits for its next attempt  0        set      delivery_due, delivery_waiting
 *     ended                       above 0  null     delivery_final, by status
 *
 * A delivery that its first attempt finishes costs three rows: its own row, written twice, and one of the index by status; a
 * message that brings only this event costs a fourth row, in `received`. Three choices keep it at that: the newest attempt is in
 * the delivery's own row (`last_…`) and moves to `attempt` at the next attempt; deliveries that were never attempted are found
 * without an index; and the events of a ledger that were received are stored as ranges of its log.
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

/** The tables of a lane, which exist once the object has a config. */
export const LANE_TABLES = new TableSteps("the lane of the endpoint", [
  { name: "The tables of a lane", statements: STATEMENTS },
  {
    name: "The causes of deliveries",
    statements: ["ALTER TABLE delivery ADD COLUMN cause TEXT"],
    isAddition: true,
  },
  {
    // numbered_to: the last number that may be taken by a delivery that is not here: of the original of a restored copy.
    name: "Numbers that the original of a copy has given away",
    statements: ["ALTER TABLE lane ADD COLUMN numbered_to INTEGER NOT NULL DEFAULT 0"],
    isAddition: true,
  },
]);

/** The stored statuses of deliveries, by number. */
export const STORED_STATUSES = ["pending", "succeeded", "failed", "cancelled"] as const;
export type StoredStatus = (typeof STORED_STATUSES)[number];
export const PENDING = 0;
export const statusNumber = (status: StoredStatus): number => STORED_STATUSES.indexOf(status);

/** The outcomes of attempts, by number. */
export const OUTCOMES = ["succeeded", "retryable_failure", "permanent_failure"] as const;

/** The origin of events of the outbox. Their position is their id. */
export const OUTBOX_ORIGIN = 0;
