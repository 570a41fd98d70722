import type { Step } from "./steps/step.ts";
import { STEPS } from "./tables.ts";
import { assert, present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * How far the tables are. The ledger can be opened where they are `current`, and while rows are worked on if that is
 * `served`; where the rows are `closed`, no code can read them yet.
 */
export type TablesState = "current" | "served" | "closed";

/** A step, and how far a ledger is with it; the words are those of the API. */
export interface MigrationStep {
  readonly version: string;
  readonly name: string;
  readonly state: "DONE" | "PROGRESS" | "TO DO";
}

/** Number of the last step. */
export const STEP_LAST = STEPS.length;

/** Whether the object holds a ledger. One that was never created has no tables. */
export const isCreated = (sql: Sql): boolean =>
  sql.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'").length > 0;

/** Whether all steps are done, and no later version has done more. */
export function isCurrent(sql: Sql, steps: readonly Step[] = STEPS): boolean {
  const { step, cursor } = readLast(sql);
  return step === steps.length && cursor === null;
}

/** All steps, in order. Those that a later version has done are known by their numbers only. */
export function readMigrations(sql: Sql, steps: readonly Step[] = STEPS): MigrationStep[] {
  const last = readLast(sql);
  const stateOf = (step: number): MigrationStep["state"] => {
    if (step > last.step) return "TO DO";
    return step === last.step && last.cursor !== null ? "PROGRESS" : "DONE";
  };
  return Array.from({ length: Math.max(last.step, steps.length) }, (_, index) => ({
    version: `${index + 1}`,
    name: steps[index]?.name ?? "A step of a later version",
    state: stateOf(index + 1),
  }));
}

/**
 * Makes the quick changes that are next, up to a step that works on rows: `migrateSlice` goes on from there. Does nothing
 * where all is done. Throws `OVERLOADED` for tables of a later version, and leaves them as they are: while a new version is
 * rolled out, the next request may come to one that knows them.
 */
export function migrate(sql: Sql, steps: readonly Step[] = STEPS): TablesState {
  return sql.transaction(() => {
    sql.all("CREATE TABLE IF NOT EXISTS migration (step INTEGER PRIMARY KEY, cursor TEXT) STRICT");
    return advance(sql, steps);
  });
}

/** Works on one slice of the rows of the step that is under way, and makes the quick changes behind it after the last. */
export function migrateSlice(sql: Sql, steps: readonly Step[] = STEPS): TablesState {
  return sql.transaction(() => {
    const { step, cursor } = readKnown(sql, steps);
    if (cursor !== null) {
      const rows = present(steps[step - 1]?.rows, "a step with a cursor works on rows");
      const next = rows.slice(sql, cursor) ?? null;
      assert(next !== cursor, "a slice works on rows behind its cursor");
      sql.all("UPDATE migration SET cursor = ? WHERE step = ?", next, step);
    }
    return advance(sql, steps);
  });
}

/** Does all that is left to do, a transaction for each slice. */
export function migrateToEnd(sql: Sql, steps: readonly Step[] = STEPS): void {
  for (let state = migrate(sql, steps); state !== "current";) state = migrateSlice(sql, steps);
}

/** Steps are done one after the other: none begins before all rows of the one before are done. */
function advance(sql: Sql, steps: readonly Step[]): TablesState {
  for (;;) {
    const { step, cursor } = readKnown(sql, steps);
    if (cursor !== null) {
      // Before a later step is done, its code finds no tables that it knows, whatever this step was made for.
      const isServed = step === steps.length && steps[step - 1]?.rows?.isServedMeanwhile === true;
      return isServed ? "served" : "closed";
    }
    if (step === 0 && makeFresh(sql, steps)) continue;
    const next = steps[step];
    if (next === undefined) return "current";
    for (const statement of next.statements) sql.all(statement);
    const start = next.rows === undefined ? null : "";
    sql.all("INSERT INTO migration (step, cursor) VALUES (?, ?)", step + 1, start);
  }
}

/** Makes the tables that all steps up to some step lead to, if a step says which. An empty database needs no step. */
function makeFresh(sql: Sql, steps: readonly Step[]): boolean {
  const last = steps.findLastIndex(({ fresh }) => fresh !== undefined);
  for (const statement of steps[last]?.fresh ?? []) sql.all(statement);
  for (let step = 1; step <= last + 1; step++) {
    sql.all("INSERT INTO migration (step, cursor) VALUES (?, NULL)", step);
  }
  return last !== -1;
}

/** Throws where the last step is of a later version. */
function readKnown(sql: Sql, steps: readonly Step[]): LastSqlRow {
  const last = readLast(sql);
  if (last.step <= steps.length) return last;
  throw new AppError(
    "OVERLOADED",
    `the ledger was written by a later version: its tables are at step ${last.step}, and this version knows only ${steps.length}`,
  );
}

/** The last step that was begun, and where its next slice starts, null where it is done. */
type LastSqlRow = { step: number; cursor: string | null };

const readLast = (sql: Sql): LastSqlRow =>
  sql.all<LastSqlRow>("SELECT step, cursor FROM migration ORDER BY step DESC LIMIT 1")[0] ?? {
    step: 0,
    cursor: null,
  };
