import type { RunParams } from "./platform.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { TableSteps } from "#platform/sql/table-steps.ts";

/** A run of an instance, and when it goes on, in milliseconds since the epoch. */
export interface Wake extends RunParams {
  readonly atMs: number;
}

/** The table of the runner's wakes. */
export const WAKE_TABLES = new TableSteps("the list of instances that wait", [
  {
    name: "The list of instances that wait",
    statements: [
      "CREATE TABLE wakes (id TEXT PRIMARY KEY, run INTEGER NOT NULL, at_ms INTEGER NOT NULL) STRICT",
      "CREATE INDEX wakes_at ON wakes (at_ms)",
    ],
  },
]);

/** The runs that wait for their time, in the tables of the runner. */
export class WakeList {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
    WAKE_TABLES.migrateToEnd(sql);
  }

  /** Adds a wake. An instance has one wake: of its latest run, at the earliest time that was asked for. */
  add({ id, run, atMs }: Wake): void {
    this.#sql.all(
      `INSERT INTO wakes (id, run, at_ms) VALUES (?, ?, ?) ON CONFLICT (id) DO UPDATE SET
         at_ms = CASE WHEN excluded.run > run THEN excluded.at_ms ELSE min(at_ms, excluded.at_ms) END,
         run = max(run, excluded.run)`,
      id,
      run,
      Math.ceil(atMs),
    );
  }

  /** The wakes whose time has come, the longest overdue first. */
  due(nowMs: number, countMax: number): Wake[] {
    return this.#sql.all<{ id: string; run: number; atMs: number }>(
      `SELECT id, run, at_ms AS "atMs" FROM wakes WHERE at_ms <= ? ORDER BY at_ms LIMIT ? + 0`,
      nowMs,
      countMax,
    );
  }

  /** Removes a wake, unless another time was asked for meanwhile. */
  remove({ id, run, atMs }: Wake): void {
    this.#sql.all("DELETE FROM wakes WHERE id = ? AND run = ? AND at_ms = ?", id, run, atMs);
  }

  /** When the next wake is due, in milliseconds since the epoch; undefined where there is none. */
  nextMs(): number | undefined {
    const [row] = this.#sql.all<{ atMs: number | null }>(`SELECT min(at_ms) AS "atMs" FROM wakes`);
    return row?.atMs ?? undefined;
  }
}
