import { PENDING, type StoredStatus, statusNumber } from "./lane-tables.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * Deliveries whose calls were under way when their config was deactivated, while it is active again. Only a success of these
 * calls counts; other deliveries end as the deactivation says when their calls are over.
 */
export class LateEndings {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  add(
    seqs: readonly number[],
    { status, error }: { readonly status: StoredStatus; readonly error: string | null },
  ): void {
    this.#sql.all(
      "INSERT OR IGNORE INTO ending (seq, status, error) SELECT value, ?, ? FROM json_each(?)",
      statusNumber(status),
      error,
      stringifyJson(seqs),
    );
  }

  /** Ends the deliveries whose calls are over. Returns whether any are left. */
  settle(underWay: readonly number[], wallMs: number): boolean {
    const listed = this.#sql.all("SELECT seq FROM ending LIMIT 1");
    if (listed.length === 0) return false;
    const under = stringifyJson(underWay);
    this.#sql.all(
      `UPDATE delivery SET status = e.status, due_ms = NULL, updated_ms = ?, last_error = coalesce(e.error, last_error)
       FROM ending AS e
       WHERE delivery.seq = e.seq AND delivery.status = ${PENDING} AND e.seq NOT IN (SELECT value FROM json_each(?))`,
      wallMs,
      under,
    );
    this.#sql.all("DELETE FROM ending WHERE seq NOT IN (SELECT value FROM json_each(?))", under);
    return this.#sql.all("SELECT seq FROM ending LIMIT 1").length > 0;
  }
}
