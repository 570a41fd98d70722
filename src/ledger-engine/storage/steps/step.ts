import type { Sql } from "#platform/sql/sql.ts";

/** One change of a ledger's tables. Its number is its place in the list of steps. */
export interface Step {
  /** What the step is for. */
  readonly name: string;
  /** Quick changes of the schema, which are made at once, before the ledger is opened. */
  readonly statements: readonly string[];
  /** In place of this step and those before it: the statements that make the same tables where there are none yet. */
  readonly fresh?: readonly string[];
  /** What the step does to rows, of which there may be many. It begins when the statements are done. */
  readonly rows?: RowWork;
}

/** Work on rows in bounded slices. It stops between any two of them, and goes on later, where the stored cursor says. */
export interface RowWork {
  /**
   * Whether the ledger is read and written between the slices; otherwise it answers 503 until the step is done. Then the
   * code of this version must understand rows before and behind the cursor, and write rows that the step need not change.
   */
  readonly isServedMeanwhile: boolean;
  /**
   * Works on the rows behind a cursor, which is empty at first: on so few that it takes far less than a second. Returns the
   * cursor for the next slice, and `undefined` at the end. The cursor is stored in the same transaction.
   */
  readonly slice: (sql: Sql, cursor: string) => string | undefined;
}
