import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Sql, SqlRow, SqlValue } from "./sql.ts";

/** SQL on `node:sqlite`: a file, memory for `":memory:"`, or a database that is open already. */
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
    const rows = prepared.all(...bindings) as unknown as SqlValue[][]; // as `#prepare` asks for them
    return rows.map((values) => toRow(columns, values)) as Row[]; // the caller says what its statement selects
  }

  /** Nests as a savepoint, like `transactionSync`. */
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

  /** Where the disk fails or is full, SQLite may have rolled the whole transaction back by itself. */
  #rollBack(name: string): void {
    try {
      this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
    } catch (error) {
      if (!(error instanceof Error && error.message.includes("no such savepoint"))) throw error;
    }
  }

  /** Keeps the statements that were prepared last: some are made for one request. */
  #prepare(statement: string): Statement {
    const known = this.#statements.get(statement);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(statement);
    prepared.setReturnArrays(true);
    const made = { prepared, columns: prepared.columns().map(({ name }) => name) };
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

/** A prepared statement that gives its rows as arrays, and the names of their values. */
interface Statement {
  readonly prepared: StatementSync;
  readonly columns: readonly string[];
}

/**
 * A row as an object. Those that `node:sqlite` makes are dictionaries, which take twice as long to make and several times as long to
 * read.
 */
function toRow(columns: readonly string[], values: readonly SqlValue[]): SqlRow {
  const row: SqlRow = {};
  for (let index = 0; index < columns.length; index++) {
    row[columns[index] ?? ""] = values[index] ?? null;
  }
  return row;
}

/** Most prepared statements that are kept. */
const STATEMENTS_MAX = 300;
/** Most pages of the file that are kept in memory, in KiB: SQLite's 2 MiB are too few for writes to many accounts. */
const CACHE_KIB_MAX = 32_768;
/** After so many written pages of 4 KiB, SQLite copies the write-ahead log into the file. */
const LOG_PAGES = 10_000;
