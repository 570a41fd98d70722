import { STEPS } from "./tables.ts";
import type { Sql } from "#platform/sql/sql.ts";
import type { Step } from "#platform/sql/step.ts";
import {
  hasSteps,
  type MigrationStep,
  TableSteps,
  type TablesState,
} from "#platform/sql/table-steps.ts";

export type { MigrationStep, TablesState };

/** The number of the last step. */
export const STEP_LAST = STEPS.length;

const stepsOf = (steps: readonly Step[]): TableSteps => new TableSteps("the ledger", steps);

/** Whether the object holds a ledger. The object of a ledger that was never created has no tables. */
export const isCreated = hasSteps;

// The functions of `TableSteps` for the tables of a ledger. Only tests pass other steps.
export const isCurrent = (sql: Sql, steps: readonly Step[] = STEPS): boolean =>
  stepsOf(steps).isCurrent(sql);
export const readMigrations = (sql: Sql, steps: readonly Step[] = STEPS): MigrationStep[] =>
  stepsOf(steps).read(sql);
export const migrate = (sql: Sql, steps: readonly Step[] = STEPS): TablesState =>
  stepsOf(steps).migrate(sql);
export const migrateSlice = (sql: Sql, steps: readonly Step[] = STEPS): TablesState =>
  stepsOf(steps).migrateSlice(sql);
export const migrateToEnd = (sql: Sql, steps: readonly Step[] = STEPS): void =>
  stepsOf(steps).migrateToEnd(sql);
