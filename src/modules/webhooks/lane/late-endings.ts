import { PENDING, type StoredStatus, statusNumber } from "./lane-tables.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Sql } from "#platform/sql/sql.ts";

/**
 * Deliveries whose calls were under way at a deactivation, while the config is active again. A call that succeeds or fails for good
 * decides its delivery; a delivery that is still pending gets the stored ending.
 */
export class LateEndings {
  readonly #sql: Sql;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Stores the ending of deliveries with calls under way. An earlier ending of a delivery stays. */
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

  /** Ends deliveries that are not in `underWay`, at `wallMs` (milliseconds since the epoch). Returns whether endings wait for calls. */
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
