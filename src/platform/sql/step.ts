import type { Sql } from "./sql.ts";

/**
 * One change of the tables of an object, such as a ledger. Its number is its place in the list of steps. A step that was released never
 * changes: every change of tables is a new step.
 */
export interface Step {
  /** What the step is for. */
  readonly name: string;
  /** Quick changes of the schema, which are made at once, before the object works. */
  readonly statements: readonly string[];
  /** In place of this step and those before it: the statements that make the same tables where there are none yet. */
  readonly fresh?: readonly string[];
  /** What the step does to rows, of which there may be many. It begins when the statements are done. */
  readonly rows?: RowWork;
}

/** Work on rows in bounded slices. It stops between any two of them, and goes on later, where the stored cursor says. */
export interface RowWork {
  /**
   * Whether the object is read and written between the slices; otherwise it answers 503 until the step is done. Then the
   * code of this version must understand rows before and behind the cursor, and write rows that the step need not change.
   */
  readonly isServedMeanwhile: boolean;
  /**
   * Works on the rows behind a cursor, which is empty at first: on so few that it takes far less than a second. Returns the
   * cursor for the next slice, and `undefined` at the end. The cursor is stored in the same transaction.
   */
  readonly slice: (sql: Sql, cursor: string) => string | undefined;
}
