import { DatabaseSync, type StatementSync } from "./node-sqlite.ts";
import type { Sql, SqlRow, SqlValue } from "./sql.ts";

/** SQL on `node:sqlite`: a file, memory for `":memory:"`, or an open database. */
export class NodeSql implements Sql {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, Statement>();
  #depth = 0;

  constructor(database: string | DatabaseSync = ":memory:") {
    this.#database = typeof database === "string" ? new DatabaseSync(database) : database;
    this.#database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
      PRAGMA cache_size = -${CACHE_KIB_MAX}; PRAGMA wal_autocheckpoint = ${LOG_PAGES};`);
  }

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    const { prepared, columns } = this.#prepare(statement);
    const rows: unknown[] = prepared.all(...bindings);
    if (columns === undefined) return rows.map((row) => ({ ...(row as Row) })); // The caller names the type of its rows.
    return rows.map((values) => toRow(columns, values as SqlValue[])) as Row[]; // `#prepare` asks for rows as arrays.
  }

  /** Runs `work` in a savepoint, so that transactions nest, as those of `transactionSync` do. */
  transaction<T>(work: () => T): T {
    const name = `level_${this.#depth++}`;
    this.#database.exec(`SAVEPOINT ${name}`);
    try {
      const result = work();
      this.#database.exec(`RELEASE ${name}`);
      return result;
    } catch (error) {
      this.#rollBack(name);
      throw error;
    } finally {
      this.#depth--;
    }
  }

  /** Rolls back to a savepoint. SQLite may have rolled back the whole transaction by itself, if the disk failed or is full. */
  #rollBack(name: string): void {
    try {
      this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("no such savepoint"))) throw error;
    }
  }

  /** Prepares a statement and caches it, with first-in, first-out eviction: some statements serve one request only. */
  #prepare(statement: string): Statement {
    const known = this.#statements.get(statement);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(statement);
    const made = { prepared, columns: askForArrays(prepared) };
    this.#statements.set(statement, made);
    if (this.#statements.size > STATEMENTS_MAX) {
      const [oldest = ""] = this.#statements.keys();
      this.#statements.delete(oldest);
    }
    return made;
  }

  close(): void {
    this.#database.close();
  }
}

/** A prepared statement that gives its rows as arrays, and the names of their values. Without the names, it gives its rows as objects. */
interface Statement {
  readonly prepared: StatementSync;
  readonly columns: readonly string[] | undefined;
}

/** Makes a statement give its rows as arrays, and returns the names of their values; undefined before Node 22.16, which cannot. */
function askForArrays(prepared: StatementSync): string[] | undefined {
  if (!("setReturnArrays" in prepared)) return undefined;
  prepared.setReturnArrays(true);
  return prepared.columns().map(({ name }) => name);
}

/**
 * A row as an object. Rows that `node:sqlite` makes are objects in dictionary mode, which take twice as long to make and several times as
 * long to read.
 */
function toRow(columns: readonly string[], values: readonly SqlValue[]): SqlRow {
  const row: SqlRow = {};
  for (let index = 0; index < columns.length; index++) {
    row[columns[index] ?? ""] = values[index] ?? null;
  }
  return row;
}

/** Most prepared statements in the cache. */
const STATEMENTS_MAX = 300;
/** Size of the page cache, in KiB: SQLite's default of 2 MiB is too small for writes to many accounts. */
const CACHE_KIB_MAX = 32_768;
/** Pages of 4 KiB in the write-ahead log after which SQLite copies it into the file (a checkpoint). */
const LOG_PAGES = 10_000;
