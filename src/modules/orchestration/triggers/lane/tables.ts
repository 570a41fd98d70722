import { TableSteps } from "#platform/sql/table-steps.ts";

/** The tables of a lane. A row of `work` is an event with the keys of the triggers whose filters are still to be evaluated for it. */
const STATEMENTS = [
  `CREATE TABLE budget (
    one INTEGER PRIMARY KEY CHECK (one = 1),
    steps INTEGER NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT`,
  `CREATE TABLE work (
    seq INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    at_ms INTEGER NOT NULL,
    triggers TEXT NOT NULL,
    event TEXT NOT NULL
  ) STRICT`,
  `CREATE TABLE trigger (
    key INTEGER PRIMARY KEY,
    waiting INTEGER NOT NULL,
    evaluations INTEGER NOT NULL,
    steps INTEGER NOT NULL,
    fired INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    refused INTEGER NOT NULL,
    last_error TEXT,
    last_error_event TEXT,
    last_error_ms INTEGER
  ) STRICT`,
];

export const LANE_TABLES = new TableSteps("the lane of triggers", [
  { name: "The lane of triggers", statements: STATEMENTS },
]);
