import { newId } from "#platform/ids.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

/** SQL that tells whether anything was changed between two reads: every change is a transaction, and each of these makes a new version. */
export class VersionedSql implements Sql {
  readonly #sql: Sql;
  /** Versions of two instances, as after an eviction, are never equal. */
  readonly #instance = newId();
  #transactions = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  get version(): string {
    return `${this.#instance}:${this.#transactions}`;
  }

  all<Row extends Record<string, SqlValue>>(
    query: string,
    ...parameters: readonly SqlValue[]
  ): Row[] {
    return this.#sql.all<Row>(query, ...parameters);
  }

  transaction<T>(work: () => T): T {
    this.#transactions += 1;
    return this.#sql.transaction(work);
  }
}
