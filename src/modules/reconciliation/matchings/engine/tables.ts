import { TableSteps } from "#platform/sql/table-steps.ts";

/** The states of a line, as they are stored. */
export const LINE_OPEN = 0;
export const LINE_MATCHED = 1;
export const LINE_PROPOSED = 2;
/** A booking that closes the line is under way. */
export const LINE_HELD = 3;

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

/**
 * What runs collect, and what people decide:
 *
 *     collection                 where the next page of a source begins, by side
 *     run ──▶ its head           who has begun it, what it has done so far, and whether D1 knows of that
 *     decision ──▶ line_group    who has changed a group, and why; copied into the audit of the deployment
 */
const COLLECTION: readonly string[] = [
  // The id of the matching, by which its definition is found in D1.
  "CREATE TABLE matching (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
  // corrects: the name of the earlier line of the side that this one takes back.
  "ALTER TABLE line ADD COLUMN corrects TEXT",
  `CREATE INDEX line_taking_back ON line (id) WHERE corrects IS NOT NULL AND state = ${LINE_OPEN}`,
  // Lists of lines, whose order is that of ids, which an index appends.
  "CREATE INDEX line_of_side ON line (side)",
  "CREATE INDEX line_of_asset ON line (asset)",
  "CREATE INDEX line_of_side_asset ON line (side, asset)",
  `CREATE INDEX line_unmatched_of_side ON line (side) WHERE state <> ${LINE_MATCHED}`,
  `CREATE INDEX line_proposed ON line (id) WHERE state = ${LINE_PROPOSED}`,
  `CREATE INDEX line_break ON line (break_class) WHERE state <> ${LINE_MATCHED}`,
  // Lists of groups. The first of them takes the place of `line_group_pending`.
  "DROP INDEX line_group_pending",
  "CREATE INDEX line_group_state ON line_group (state)",
  "CREATE INDEX line_group_pass ON line_group (pass)",
  "CREATE INDEX line_group_run ON line_group (run)",
  // The last id that a group has got: a group that is gone leaves its id to no other one, because somebody may be about to decide about it.
  "CREATE TABLE last_group (id INTEGER NOT NULL) STRICT",
  "INSERT INTO last_group SELECT coalesce(max(id), 0) FROM line_group",
  // position: null before the first page. period_from and period_to: the days for which the position stands. last_day: the last one of a line.
  `CREATE TABLE collection (
    side INTEGER PRIMARY KEY, position TEXT, period_from INTEGER NOT NULL, period_to INTEGER, last_day INTEGER
  ) STRICT`,
  // state: 'collecting', 'matching', 'done' or 'failed'. principal: who has begun the run, in JSON. failures: how often the present page could
  // not be read. is_copied: 1 if D1 knows the head as it is.
  "ALTER TABLE run ADD COLUMN state TEXT NOT NULL DEFAULT 'done'",
  "ALTER TABLE run ADD COLUMN principal TEXT",
  "ALTER TABLE run ADD COLUMN started_at TEXT",
  "ALTER TABLE run ADD COLUMN ended_at TEXT",
  "ALTER TABLE run ADD COLUMN error TEXT",
  ...[
    "collected_left",
    "collected_right",
    "matched",
    "proposed",
    "unmatched",
    "failures",
    "is_copied",
  ].map((column) => `ALTER TABLE run ADD COLUMN ${column} INTEGER NOT NULL DEFAULT 0`),
  // run: the run that has decided, in place of a person; 0 for none.
  `CREATE TABLE decision (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, what TEXT NOT NULL, line_group INTEGER NOT NULL, note TEXT NOT NULL,
    run INTEGER NOT NULL, principal TEXT NOT NULL, request TEXT NOT NULL
  ) STRICT`,
  "CREATE INDEX decision_of_group ON decision (line_group)",
];

/**
 * What people do about breaks:
 *
 *     held ──▶ line              lines for which a booking is under way, and the group that it has made of them
 *     break_work ──▶ line        status, assignee and the number of comments
 *     break_event ──▶ line       comments, and changes of status and assignee
 */
const BREAKS: readonly string[] = [
  // correction: the id of the correction in D1. lines: a list of ids in JSON. line_group: null until the booking is matched.
  "CREATE TABLE held (correction TEXT PRIMARY KEY, lines TEXT NOT NULL, line_group INTEGER) STRICT, WITHOUT ROWID",
  `CREATE TABLE break_work (
    line INTEGER PRIMARY KEY, status TEXT NOT NULL, assignee TEXT, comments INTEGER NOT NULL
  ) STRICT`,
  "CREATE INDEX break_work_assignee ON break_work (assignee) WHERE assignee IS NOT NULL",
  // what: 'comment', 'status' or 'assign'. text: the comment, the new status, or the new assignee.
  `CREATE TABLE break_event (
    id INTEGER PRIMARY KEY, line INTEGER NOT NULL, at TEXT NOT NULL, what TEXT NOT NULL, text TEXT NOT NULL,
    principal TEXT NOT NULL, request TEXT NOT NULL
  ) STRICT`,
  "CREATE INDEX break_event_of_line ON break_event (line)",
];

export const MATCHING_TABLES = new TableSteps("the matching", [
  { name: "the tables of a matching", statements: TABLES },
  { name: "collection, heads of runs and decisions", statements: COLLECTION },
  { name: "work on breaks", statements: BREAKS },
]);
