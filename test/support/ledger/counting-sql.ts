import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** Numbers of rows in the platform's bill. */
export interface Rows {
  readonly read: number;
  readonly written: number;
}

/** The SQL of an object, with the row counters of the platform's bill. */
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

  /** Counts the rows that `work` reads and writes. */
  measure(work: () => unknown): Rows {
    const [read, written] = [this.#read, this.#written];
    work();
    return { read: this.#read - read, written: this.#written - written };
  }
}
