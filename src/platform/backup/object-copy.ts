import { readCopiedRows, type RowsOfTable, type SoughtRows } from "./copied-rows.ts";
import { sqlCopyDatabase } from "./copy-database.ts";
import { ABANDONED_MS } from "./copy-state.ts";
import { type CopiedChanges, type CopyEnd, TableCopy } from "./table-copy.ts";
import { asResult, type Result } from "#platform/result.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** A step of the copy of an object's tables. */
export type CopyStep =
  | { readonly kind: "begin" }
  | { readonly kind: "rows"; readonly id: string; readonly sought: SoughtRows }
  | { readonly kind: "changes"; readonly id: string; readonly after: number }
  | { readonly kind: "end"; readonly id: string; readonly after: number }
  | { readonly kind: "abandon"; readonly id: string };

/** What each step of a copy gives. */
export interface CopyAnswers {
  readonly begin: { readonly id: string };
  readonly rows: RowsOfTable;
  readonly changes: CopiedChanges;
  /** Undefined if too many changes are left. */
  readonly end: CopyEnd | undefined;
  readonly abandon: undefined;
}

/**
 * The copy of an object's tables that a backup makes, see `TableCopy`. An object has one in its memory. A copy from which nothing is read for
 * ten minutes is ended by a timer: triggers that slow down nobody's writes may stay until the object is in memory again.
 */
export class ObjectCopy {
  readonly #sql: Sql;
  readonly #copy: TableCopy;

  constructor(sql: Sql) {
    this.#sql = sql;
    this.#copy = new TableCopy(sqlCopyDatabase(sql));
    if (hasCopy(sql)) this.#watch();
  }

  /** Does a step, and returns what `CopyAnswers` says, or its failure: `CONFLICT`, or `NOT_FOUND` for an unknown table. */
  step(step: CopyStep): Promise<Result<CopyAnswers[CopyStep["kind"]]>> {
    return asResult(this.#do(step));
  }

  async #do(step: CopyStep): Promise<CopyAnswers[CopyStep["kind"]]> {
    const nowMs = Date.now();
    switch (step.kind) {
      case "begin": {
        const { id } = await this.#copy.begin(nowMs);
        this.#watch();
        return { id };
      }
      case "rows":
        return readCopiedRows(this.#copy, { id: step.id, nowMs }, step.sought);
      case "changes":
        return this.#copy.changes({ id: step.id, nowMs }, step.after);
      case "end":
        return this.#copy.end({ id: step.id, nowMs }, step.after);
      case "abandon":
        await this.#copy.abandon(step.id);
        return undefined;
    }
  }

  /** Looks after ten minutes whether the copy is abandoned, and again later at one that goes on. */
  #watch(): void {
    setTimeout(() => void this.#endAbandoned(), ABANDONED_MS);
  }

  async #endAbandoned(): Promise<void> {
    if (!hasCopy(this.#sql)) return;
    const atMs = await this.#copy.endAbandoned(Date.now());
    if (atMs !== undefined) this.#watch();
  }
}

/** Whether a copy is under way, or was left alone. */
const hasCopy = (sql: Sql): boolean =>
  sql.all("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'copy_state'").length > 0;
