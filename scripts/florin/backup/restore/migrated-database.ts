import { readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import {
  COLUMNS_QUERY,
  type CopiedRow,
  type CopiedTable,
  quoted,
  toCopiedRow,
  toTables,
} from "#platform/backup/copied-table.ts";
import { sqlCopyDatabase } from "#platform/backup/copy-database.ts";
import { pageQuery } from "#platform/backup/copy-statements.ts";
import { APPLIED, LEFT_OUT, restorableTables } from "#platform/backup/restorable-tables.ts";
import { insertRows } from "#platform/backup/restored-rows.ts";
import type { DatabaseManifest, SavedTable } from "#platform/backup/saving/manifest.ts";
import { parseJson } from "#platform/json.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { compareMigrations, MIGRATIONS } from "#platform/upgrade/migrations.ts";
import { linesOf } from "#scripts/florin/backup/saved-lines.ts";
import { readApplied } from "#scripts/florin/backup/verify/table-problems.ts";
import { inProject, OperatorError } from "#scripts/lib/project.ts";

/** SQLite's name for a database in a temporary file, which is deleted when the database is closed or the process ends. */
const TEMPORARY = "";
/** Rows that are put in at once. */
const BATCH = 500;
/** Most rows of a part, and about the most bytes of it. The server takes 5,000 rows and 4 MB. */
const PART_ROWS_MAX = 2000;
const PART_BYTES_MAX = 500_000;

/** A table whose rows are to be written, and how many there are. */
export interface MigratedTable extends CopiedTable {
  readonly rowCount: number;
  /** The largest id that it has given away; undefined if it does not count. */
  readonly counter: number | undefined;
}

/** Some rows of a table, and whether they are the last ones. */
export interface RowsPart {
  readonly rows: readonly CopiedRow[];
  readonly isLast: boolean;
}

/**
 * The rows of a saved database in the tables of this version, in a temporary file:
 *
 *     migrations of the backup ─► its tables ─► its rows ─► the later migrations ─► rows of today's tables
 */
export class MigratedDatabase {
  readonly #database: DatabaseSync;
  readonly #sql: NodeSql;
  /** The largest ids that saved tables have given away, where their rows do not show it. */
  readonly #counters: DatabaseManifest["counters"];

  private constructor(counters: DatabaseManifest["counters"]) {
    this.#counters = counters;
    this.#database = new DatabaseSync(TEMPORARY);
    this.#sql = new NodeSql(this.#database);
    // Rows come table by table, and the server checks them all.
    this.#database.exec("PRAGMA foreign_keys = OFF; PRAGMA synchronous = OFF");
  }

  /** Puts in the rows of a folder. Throws `OperatorError` for the tables of a later version, and for rows that do not fit. */
  static async open(folder: string, manifest: DatabaseManifest): Promise<MigratedDatabase> {
    const applied = await appliedOf(folder, manifest);
    const made = new MigratedDatabase(manifest.counters);
    try {
      made.#migrate(MIGRATIONS.filter((name) => applied.has(name)));
      for (const table of manifest.tables) await made.#putIn(folder, table);
      made.#migrate(MIGRATIONS.filter((name) => !applied.has(name)));
      return made;
    } catch (error) {
      made.close();
      if (error instanceof Error && /disk is full/.test(error.message)) throw noRoom(error);
      throw error;
    }
  }

  /** The tables to write, each behind those that its rows refer to. */
  async tables(): Promise<MigratedTable[]> {
    const tables = await restorableTables(sqlCopyDatabase(this.#sql));
    return inOrder(tables, (name) => this.#referredBy(name)).map((table) => ({
      ...table,
      rowCount: this.#count(table.name),
      counter: table.isCounted ? this.#counterOf(table.name) : undefined,
    }));
  }

  /** The rows of a table in the order of their keys, without the first ones; at least one part, which may be empty. */
  *partsOf(table: CopiedTable, without: number): Generator<RowsPart> {
    let after: string | undefined;
    let left = without;
    for (;;) {
      const { text, params = [] } = pageQuery(table, {
        rowsMax: PART_ROWS_MAX,
        bytesMax: PART_BYTES_MAX,
        after,
      });
      const found = this.#sql.all(text, ...params);
      const last = found.at(-1);
      const isLast =
        last === undefined ||
        (found.length === Number(last["found"]) && found.length < PART_ROWS_MAX);
      const rows = found.slice(left).map((row) => toCopiedRow(table, row));
      left = Math.max(0, left - found.length);
      if (rows.length > 0 || isLast) yield { rows, isLast };
      if (isLast) return;
      after = String(last["key"]);
    }
  }

  close(): void {
    this.#database.close();
  }

  #migrate(names: readonly string[]): void {
    for (const name of names) {
      this.#database.exec(readFileSync(inProject("migrations", name), "utf8"));
    }
  }

  async #putIn(folder: string, { name, file, columns }: SavedTable): Promise<void> {
    if (LEFT_OUT.has(name) || name === APPLIED) return;
    const table = toTables(this.#sql.all(COLUMNS_QUERY)).find((known) => known.name === name);
    if (table === undefined) throw new OperatorError(`The backup has an unknown table ${name}.`);
    this.#database.exec(`DELETE FROM ${quoted(name)}`);
    let rows: CopiedRow[] = [];
    const put = (): void =>
      this.#sql.transaction(() => {
        for (const { text, params = [] } of insertRows(table, columns, rows)) {
          this.#sql.all(text, ...params);
        }
        rows = [];
      });
    for await (const line of linesOf(join(folder, file))) {
      rows.push(parseJson(line) as CopiedRow); // as `SavedRows` has written it
      if (rows.length >= BATCH) put();
    }
    put();
  }

  #count(table: string): number {
    const [row] = this.#sql.all<{ rows: number }>(`SELECT count(*) AS rows FROM ${quoted(table)}`);
    return row?.rows ?? 0;
  }

  #counterOf(table: string): number {
    const [row] = this.#sql.all<{ seq: number }>(
      "SELECT seq FROM sqlite_sequence WHERE name = ?",
      table,
    );
    return Math.max(row?.seq ?? 0, this.#counters[table] ?? 0);
  }

  #referredBy(table: string): string[] {
    return this.#sql
      .all<{ name: string }>('SELECT "table" AS name FROM pragma_foreign_key_list(?)', table)
      .map(({ name }) => name);
  }
}

const noRoom = (cause: Error): OperatorError =>
  new OperatorError(
    `The rows of the backup do not fit into a temporary file in ${tmpdir()}, which becomes as large as the saved database. Name a folder with more room by TMPDIR.`,
    { cause },
  );

/** The migrations that made the tables of a saved database. Throws `OperatorError` for those of a later version. */
async function appliedOf(folder: string, manifest: DatabaseManifest): Promise<Set<string>> {
  const applied = await readApplied(folder, manifest);
  if (applied === undefined) throw new OperatorError(`The backup has no table ${APPLIED}.`);
  const state = compareMigrations({ applied });
  if (state.kind === "refused") {
    throw new OperatorError(`The backup cannot be restored by this version. ${state.reason}`);
  }
  return new Set(applied);
}

/** Tables in an order in which each comes behind those that its rows refer to. */
export function inOrder<T extends { readonly name: string }>(
  tables: readonly T[],
  referredBy: (name: string) => readonly string[],
): T[] {
  const byName = new Map(tables.map((table) => [table.name, table]));
  const ordered = new Set<T>();
  const add = (table: T, path: ReadonlySet<string>): void => {
    if (ordered.has(table) || path.has(table.name)) return; // a table may refer to itself
    for (const name of referredBy(table.name)) {
      const parent = byName.get(name);
      if (parent !== undefined) add(parent, new Set([...path, table.name]));
    }
    ordered.add(table);
  };
  for (const table of tables) add(table, new Set());
  return [...ordered];
}
