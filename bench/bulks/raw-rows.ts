import { DatabaseSync, type SQLOutputValue } from "node:sqlite";
import { NodeSql } from "#platform/sql/node-sql.ts";

/** The columns that transactions of the bulks fill. Further columns would slow statements down. */
const COLUMNS = {
  account: ["id", "address", "first_usage", "inserted_at", "updated_at"],
  tx: ["id", "place", "date", "payload", "hash"],
  move: ["account", "asset", "tx", "role", "input", "output"],
  metadata_index: ["scope", "key", "value", "target"],
} as const;

type Table = keyof typeof COLUMNS;
const TABLES = Object.keys(COLUMNS) as Table[]; // The object has no other keys.

/** SQL for the rows after `:account` and `:tx`, in the order of their table. */
const NEW_ROWS: Readonly<Record<Table, string>> = {
  account: "FROM account WHERE id > :account AND :tx IS NOT NULL ORDER BY id",
  tx: "FROM tx WHERE id > :tx AND :account IS NOT NULL ORDER BY id",
  // Moves are ordered by account, because the table has no other order.
  move: `FROM account CROSS JOIN move ON move.account = account.id AND move.asset = 1 AND move.tx > :tx
    WHERE :account IS NOT NULL ORDER BY move.account, move.tx`,
  metadata_index: `FROM metadata_index WHERE scope = 0 AND target > :tx AND :account IS NOT NULL
    ORDER BY key, value, target`,
};

/** The last ids of accounts and transactions before a bulk. */
export type LastIds = Record<"account" | "tx", number>;

/** The new rows of a bulk, by table. */
export type NewRows = readonly (readonly [Table, readonly SQLOutputValue[][]])[];

/** A ledger's file, from which rows are read, or into which rows are inserted unchanged. */
export class RawRows {
  readonly #database: DatabaseSync;
  /** The connection with the settings of the engine. */
  readonly #sql: NodeSql;
  /** The insertion for each table. */
  readonly #inserts: ReadonlyMap<Table, ReturnType<DatabaseSync["prepare"]>>;

  constructor(file: string) {
    this.#database = new DatabaseSync(file);
    this.#sql = new NodeSql(this.#database);
    this.#inserts = new Map(
      TABLES.map((table) => [table, this.#database.prepare(insertOf(table))]),
    );
  }

  get lastIds(): LastIds {
    const select =
      "SELECT (SELECT max(id) FROM account) AS account, (SELECT max(id) FROM tx) AS tx";
    return this.#database.prepare(select).get() as LastIds; // The statement selects both ids.
  }

  get counts(): number[] {
    return TABLES.map((table) =>
      Number(this.#database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.["rows"]),
    );
  }

  after(last: LastIds): NewRows {
    return TABLES.map((table) => {
      const columns = COLUMNS[table].map((name) => `${table}.${name}`).join(", ");
      const statement = this.#database.prepare(`SELECT ${columns} ${NEW_ROWS[table]}`);
      return [table, statement.all(last).map((row) => Object.values(row))];
    });
  }

  /** Inserts rows in one transaction, with a statement for each row. */
  insert(tables: NewRows): void {
    this.#sql.transaction(() => {
      for (const [table, rows] of tables) {
        const statement = this.#inserts.get(table);
        for (const row of rows) statement?.run(...row);
      }
    });
  }

  close(): void {
    this.#sql.close();
  }
}

/** The statement for a table. Numbers are bound as reals, which only columns of type ANY would keep, so that their values are cast. */
function insertOf(table: Table): string {
  const isAny = (name: string): boolean => name === "input" || name === "output";
  const values = COLUMNS[table].map((name) => (isAny(name) ? "CAST(? AS INTEGER)" : "?"));
  return `INSERT INTO ${table} (${COLUMNS[table].join(", ")}) VALUES (${values.join(", ")})`;
}
