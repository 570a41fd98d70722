import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** Rows as the platform bills them. */
export interface Rows {
  readonly read: number;
  readonly written: number;
}

/** The SQL of an object that counts, by the counters that its bill is made of. */
export class CountingSql implements Sql {
  readonly #storage: DurableObjectStorage;
  #read = 0;
  #written = 0;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
  }

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const cursor = this.#storage.sql.exec<Row>(statement, ...bindings);
    const rows = cursor.toArray();
    this.#read += cursor.rowsRead;
    this.#written += cursor.rowsWritten;
    return rows;
  }

  transaction<T>(work: () => T): T {
    return this.#storage.transactionSync(work);
  }

  /** What some work costs. */
  measure(work: () => unknown): Rows {
    const [read, written] = [this.#read, this.#written];
    work();
    return { read: this.#read - read, written: this.#written - written };
  }
}
