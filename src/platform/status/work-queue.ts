import type { SQL } from "drizzle-orm";
import type { ProblemSeverity } from "./section.ts";

/** Work that waits as rows of a table of D1. */
export interface WorkQueue {
  /** The name of the work in labels: `owed-deliveries`. */
  readonly work: string;
  /** The table, and the condition of rows that wait, which an index answers; absent for all rows. */
  readonly table: SQL;
  readonly where?: SQL;
  /** The time since when a row is due, a `Timestamp`. */
  readonly due: SQL;
  /** The column that the same index sorts by, where it is not `due`: those that come first are counted. */
  readonly order?: SQL;
  /** How long a row may be due until it counts as overdue, in milliseconds. */
  readonly graceMs: number;
  /** A condition on which a row that is due counts as overdue, however long it has been due. */
  readonly isOverdue?: SQL;
  readonly severity: ProblemSeverity;
  /** Why rows are overdue, and what to do about it: sentences without a full stop. */
  readonly why: string;
  readonly whatToDo: string;
  /** How the list of stuck work shows a row. */
  readonly item: QueueItem;
}

/** Most rows that are counted. */
export const COUNT_MAX = 10_000;

/** What a row of a queue is about, and where an operator looks at it. Expressions name the columns of the queue's table. */
export interface QueueItem {
  /** A text that identifies the row, which `show` turns into a name for people if it is none. */
  readonly id: SQL;
  readonly show?: (id: string) => string;
  /** Why this row waits, where it says so itself; null otherwise. */
  readonly reason?: SQL;
  /** The path of the API that shows the row, or the list that has it. */
  readonly path: (id: string) => string;
}
