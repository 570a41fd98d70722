import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** The error of a storage operation that a test lets fail. */
export class StorageFault extends Error {
  override name = "StorageFault";
}

/** SQL whose n-th operation fails. An operation is a statement, or the commit of an outermost transaction. */
export class FaultySql implements Sql {
  readonly #sql: Sql;
  #left = Number.POSITIVE_INFINITY;
  #depth = 0;
  /** The number of operations since the fault was armed. */
  count = 0;

  constructor(sql: Sql) {
    this.#sql = sql;
  }

  /** Makes the n-th operation from now on fail, once. */
  arm(n: number): void {
    this.count = 0;
    this.#left = n;
  }

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    this.#operate();
    return this.#sql.all<Row>(statement, ...bindings);
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(() => {
      this.#depth++;
      try {
        const result = work();
        if (this.#depth === 1) this.#operate();
        return result;
      } finally {
        this.#depth--;
      }
    });
  }

  #operate(): void {
    this.count++;
    if (--this.#left === 0) throw new StorageFault("disk I/O error");
  }
}
