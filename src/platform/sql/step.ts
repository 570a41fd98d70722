import type { Sql } from "./sql.ts";

/**
 * One change of the tables of an object, such as a ledger. Its number is its place in the list of steps. A step that was released never
 * changes: every change of tables is a new step.
 */
export interface Step {
  /** The purpose of the step. */
  readonly name: string;
  /** Quick changes of the schema, which are made at once, before the object works. */
  readonly statements: readonly string[];
  /** Statements that make the same tables in an empty database, in place of this step and all earlier ones. */
  readonly fresh?: readonly string[];
  /** The step's work on rows, of which there may be many. The work begins after the statements. */
  readonly rows?: RowWork;
  /**
   * Whether code that knows only the steps before may go on using the tables, as the step only adds: tables, indexes that refuse nothing, and
   * columns that are null or have a default. Such a step has no work on rows, and adds nothing that every write has to keep up: while a version
   * is rolled out, objects run with the code of before, of after, and of before again, and the code of before writes rows without it.
   */
  readonly isAddition?: true;
}

/** Work on rows in bounded slices. The work may stop between any two slices and resumes at the stored cursor. */
export interface RowWork {
  /**
   * Whether the object is read and written between the slices. If not, the object answers 503 until the step is done. If so, the code of
   * this version must understand rows before and behind the cursor, and write rows that the step need not change.
   */
  readonly isServedMeanwhile: boolean;
  /**
   * Works on some rows behind a cursor, which is empty at first, in far less than a second. Returns the cursor for the next slice, or
   * `undefined` at the end. The transaction of the slice also stores the cursor.
   */
  readonly slice: (sql: Sql, cursor: string) => string | undefined;
}
