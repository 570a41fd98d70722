import type { Sql } from "./sql.ts";
import type { Step } from "./step.ts";
import { assert, present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";

/**
 * The state of an object's tables. `current`: all steps are done. `served`: the last step works on rows, and the object can be used.
 * `closed`: a step works on rows, and no code can read the tables yet.
 */
export type TablesState = "current" | "served" | "closed";

/** A step and an object's progress with it, in the words of the API. */
export interface MigrationStep {
  readonly version: string;
  readonly name: string;
  readonly state: "DONE" | "PROGRESS" | "TO DO";
}

/** Whether an object has tables that were made in steps. An unused object has none. */
export const hasSteps = (sql: Sql): boolean =>
  sql.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").length > 0;

/** The name of the table of progress while rows of a backup come back, by which the object counts as unused. */
const HIDDEN = "copy_migration";

/** Whether rows of a backup are coming back into an object. Until they are complete, its tables are of no use. */
export const isBeingRestored = (sql: Sql): boolean =>
  sql.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", HIDDEN).length > 0;

/** Makes the tables of an object that were made with `makeEmptyAt` those of the object. */
export const revealSteps = (sql: Sql): void => {
  sql.all(`ALTER TABLE ${HIDDEN} RENAME TO migration`);
};

/** The name under which the rows of a table of a backup come back. */
export const restoredName = (table: string): string => (table === "migration" ? HIDDEN : table);

/**
 * The steps that lead to the tables of one kind of object, and the stored progress of an object:
 *
 *     table migration                   step 1 ──▶ step 2 ──▶ step 3
 *     ┌──────┬────────┬───────┐         done       rows are    not begun
 *     │ step │ cursor │ needs │                    worked on
 *     │  1   │ null   │   1   │                    in slices
 *     │  2   │ users: │   1   │ ◀─── the next slice begins behind this row
 *     └──────┴────────┴───────┘
 *                         └────────── the last step that code has to know, as step 2 only adds
 *
 * The tables of objects that no version since has changed have no column `needs`; code has to know their last step.
 */
export class TableSteps {
  readonly #subject: string;
  readonly #steps: readonly Step[];

  /** `subject` names the object in errors: "the ledger". */
  constructor(subject: string, steps: readonly Step[]) {
    this.#subject = subject;
    this.#steps = steps;
  }

  get steps(): readonly Step[] {
    return this.#steps;
  }

  /** Number of the last step. */
  get last(): number {
    return this.#steps.length;
  }

  /** Whether nothing is left to do for this version: all steps are done, and what a later version has done only adds. */
  isCurrent(sql: Sql): boolean {
    const last = readLast(sql);
    if (this.#isAhead(last)) return needsOf(sql, last) <= this.#steps.length;
    return last.step === this.#steps.length && last.cursor === null;
  }

  /** The progress with all steps, in order. Steps of a later version are known only by their numbers. */
  read(sql: Sql): MigrationStep[] {
    const last = readLast(sql);
    const stateOf = (step: number): MigrationStep["state"] => {
      if (step > last.step) return "TO DO";
      return step === last.step && last.cursor !== null ? "PROGRESS" : "DONE";
    };
    return Array.from({ length: Math.max(last.step, this.#steps.length) }, (_, index) => ({
      version: `${index + 1}`,
      name: this.#steps[index]?.name ?? "A step of a later version",
      state: stateOf(index + 1),
    }));
  }

  /**
   * Makes the next quick changes, up to a step that works on rows, which `migrateSlice` continues. Does nothing if all steps are done.
   * Throws `OVERLOADED` for tables of a later version, and leaves the tables as they are: while a new version is rolled out, the next
   * request may reach an isolate of that version. Tables to which a later version has only added are current. Throws `OVERLOADED`, too, while
   * rows of a backup come back.
   */
  migrate(sql: Sql): TablesState {
    return sql.transaction(() => {
      if (isBeingRestored(sql)) {
        throw new AppError("OVERLOADED", `${this.#subject} is being restored from a backup`);
      }
      sql.all(CREATE_MIGRATION);
      return this.#advance(sql);
    });
  }

  /** Works on one slice of the rows of the current step. After the last slice, makes the quick changes of the next steps. */
  migrateSlice(sql: Sql): TablesState {
    return sql.transaction(() => {
      const { step, cursor } = this.#readKnown(sql);
      if (step <= this.#steps.length && cursor !== null) {
        const rows = present(this.#steps[step - 1]?.rows, "a step with a cursor works on rows");
        const next = rows.slice(sql, cursor) ?? null;
        assert(next !== cursor, "a slice works on rows behind its cursor");
        sql.all("UPDATE migration SET cursor = ? WHERE step = ?", next, step);
      }
      return this.#advance(sql);
    });
  }

  /** Completes all steps, with one transaction for each slice. */
  migrateToEnd(sql: Sql): void {
    for (let state = this.migrate(sql); state !== "current";) state = this.migrateSlice(sql);
  }

  /**
   * Makes the tables of an empty database as they were after a step, without a row, for the rows of a backup: also the progress itself is to
   * come back. The object counts as unused until `revealSteps`. Throws `CONFLICT` for a step of a later version.
   */
  makeEmptyAt(sql: Sql, step: number): void {
    if (step < 1 || step > this.#steps.length) {
      throw new AppError(
        "CONFLICT",
        `the saved tables of ${this.#subject} are at step ${step}, and this version knows only ${this.#steps.length}: restore the backup with the version that has made it, or a later one`,
      );
    }
    sql.transaction(() => {
      sql.all(CREATE_MIGRATION);
      this.#makeFresh(sql, step);
      for (let next = readLast(sql).step; next < step; next++) {
        for (const statement of this.#steps[next]?.statements ?? []) sql.all(statement);
        this.#note(sql, next + 1, null);
      }
      for (const name of tableNames(sql)) sql.all(`DELETE FROM "${name}"`);
      sql.all(`ALTER TABLE migration RENAME TO ${HIDDEN}`);
    });
  }

  /** Begins steps in their order. A step begins only when all rows of the step before are done. */
  #advance(sql: Sql): TablesState {
    for (;;) {
      const last = this.#readKnown(sql);
      // The rows of a later version's step are its own business.
      if (this.#isAhead(last)) return "current";
      const { step, cursor } = last;
      if (cursor !== null) {
        // Until the last step is done, the code lacks the tables that it knows, so that only the last step can be served.
        const isLast = step === this.#steps.length;
        return isLast && this.#steps[step - 1]?.rows?.isServedMeanwhile === true
          ? "served"
          : "closed";
      }
      if (step === 0 && this.#makeFresh(sql)) continue;
      const next = this.#steps[step];
      if (next === undefined) return "current";
      for (const statement of next.statements) sql.all(statement);
      this.#note(sql, step + 1, next.rows === undefined ? null : "");
    }
  }

  /** Makes the tables of an empty database by the latest `fresh` statements up to a step, if one has them. Returns whether one did. */
  #makeFresh(sql: Sql, upTo = this.#steps.length): boolean {
    const last = this.#steps.slice(0, upTo).findLastIndex(({ fresh }) => fresh !== undefined);
    for (const statement of this.#steps[last]?.fresh ?? []) sql.all(statement);
    for (let step = 1; step <= last + 1; step++) this.#note(sql, step, null);
    return last !== -1;
  }

  /** Notes that a step has begun, with the last step that code has to know from now on. */
  #note(sql: Sql, step: number, cursor: string | null): void {
    if (!hasNeeds(sql)) sql.all("ALTER TABLE migration ADD COLUMN needs INTEGER");
    let needs = step;
    while (this.#steps[needs - 1]?.isAddition === true) needs--;
    sql.all("INSERT INTO migration (step, cursor, needs) VALUES (?, ?, ?)", step, cursor, needs);
  }

  #isAhead({ step }: LastSqlRow): boolean {
    return step > this.#steps.length;
  }

  /** Reads the progress. Throws `OVERLOADED` if the last step is of a later version that has done more than add. */
  #readKnown(sql: Sql): LastSqlRow {
    const last = readLast(sql);
    if (!this.#isAhead(last) || needsOf(sql, last) <= this.#steps.length) return last;
    throw new AppError(
      "OVERLOADED",
      `${this.#subject} was written by a later version: its tables are at step ${last.step}, and this version knows only ${this.#steps.length}`,
    );
  }
}

const CREATE_MIGRATION =
  "CREATE TABLE IF NOT EXISTS migration (step INTEGER PRIMARY KEY, cursor TEXT, needs INTEGER) STRICT";

/** The tables of an object, but for those of SQLite, of the runtime, and of copies. */
export const tableNames = (sql: Sql): string[] =>
  sql
    .all<{ name: string }>(
      `SELECT name FROM sqlite_master WHERE type = 'table'
        AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'copy_*'`,
    )
    .map(({ name }) => name);

/** Whether the progress has the column `needs`. */
const hasNeeds = (sql: Sql): boolean =>
  sql.all("SELECT 1 FROM pragma_table_info('migration') WHERE name = 'needs'").length > 0;

/** The last step that code has to know. */
function needsOf(sql: Sql, { step }: LastSqlRow): number {
  if (!hasNeeds(sql)) return step;
  const [row] = sql.all<{ needs: number | null }>(
    "SELECT needs FROM migration WHERE step = ?",
    step,
  );
  return row?.needs ?? step;
}

/** The last step that was begun, and the cursor of its next slice, null if the step is done. */
type LastSqlRow = { step: number; cursor: string | null };

const readLast = (sql: Sql): LastSqlRow =>
  sql.all<LastSqlRow>("SELECT step, cursor FROM migration ORDER BY step DESC LIMIT 1")[0] ?? {
    step: 0,
    cursor: null,
  };
