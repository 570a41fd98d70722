import type { Step } from "#platform/sql/step.ts";

/** The states of a line, as they are stored. */
export const LINE_OPEN = 0;
export const LINE_MATCHED = 1;
export const LINE_PROPOSED = 2;

/**
 * The tables of a matching:
 *
 *     line ◀── line_reference     references of a line, normalised, by which breaks find their relatives
 *      │ ▲
 *      │ └──── pass_key           lines of the running pass by blocking key, in the order of windows; empty between passes
 *      ▼
 *     line_group ◀── run          which run and pass made the group, or which person
 *
 * A line has at most one group. A group that was broken or declined keeps its lines as JSON only.
 */
const TABLES: readonly string[] = [
  // source_id: the name of the line in its source; adding a line twice changes nothing. amount and fee: integers up to 2^53, decimal text
  // above. texts: the texts that passes compare, in JSON. evidence: what a person is shown besides, in JSON.
  `CREATE TABLE line (
    id INTEGER PRIMARY KEY, side INTEGER NOT NULL, source_id TEXT NOT NULL, day INTEGER NOT NULL, asset TEXT NOT NULL,
    amount ANY NOT NULL, fee ANY, texts TEXT NOT NULL, evidence TEXT,
    state INTEGER NOT NULL DEFAULT 0, line_group INTEGER, break_class TEXT, break_related INTEGER, is_given_up INTEGER NOT NULL DEFAULT 0,
    UNIQUE (side, source_id)
  ) STRICT`,
  `CREATE INDEX line_unmatched ON line (id) WHERE state <> ${LINE_MATCHED}`,
  `CREATE TABLE line_reference (
    reference TEXT NOT NULL, line INTEGER NOT NULL, PRIMARY KEY (reference, line)
  ) STRICT, WITHOUT ROWID`,
  // state: 'candidate' (of an ambiguous group, until the run ends), 'proposed', 'matched', 'declined', 'broken'.
  `CREATE TABLE line_group (
    id INTEGER PRIMARY KEY, state TEXT NOT NULL, run INTEGER NOT NULL, pass TEXT NOT NULL, confidence INTEGER NOT NULL,
    is_ambiguous INTEGER NOT NULL DEFAULT 0, left_lines TEXT NOT NULL, right_lines TEXT NOT NULL
  ) STRICT`,
  `CREATE INDEX line_group_pending ON line_group (state, id) WHERE state IN ('candidate', 'proposed')`,
  // Groups that a person has declined, by their lines, which are not proposed again.
  `CREATE TABLE declined_group (lines TEXT PRIMARY KEY) STRICT, WITHOUT ROWID`,
  `CREATE TABLE pass_key (
    blocking_key TEXT NOT NULL, position TEXT NOT NULL, line INTEGER NOT NULL,
    PRIMARY KEY (blocking_key, position, line)
  ) STRICT, WITHOUT ROWID`,
  // settings: the passes, the threshold and the days of the run, in JSON. cursor: where the next slice begins, in JSON; null after the end.
  `CREATE TABLE run (
    id INTEGER PRIMARY KEY, settings TEXT NOT NULL, cursor TEXT
  ) STRICT`,
];

export const MATCHING_STEPS: readonly Step[] = [
  { name: "the tables of a matching", statements: TABLES },
];
