import {
  COLUMNS_QUERY,
  type CopiedRow,
  quoted,
  rowValues,
  toCopiedRow,
  toTables,
} from "#platform/backup/copied-table.ts";
import { type RestoredObject, restoreStep } from "#platform/backup/restored-class.ts";
import { newId } from "#platform/ids.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** The tables of an object as a backup has them. */
export interface SavedObject {
  /** The step of the tables; 0 for an object without tables. */
  readonly step: number;
  readonly tables: readonly {
    readonly name: string;
    readonly columns: readonly string[];
    readonly rows: readonly CopiedRow[];
  }[];
  readonly counters: Readonly<Record<string, number>>;
}

/** Reads the tables of an object as a backup has them. */
export function savedObjectOf(sql: Sql): SavedObject {
  const tables = toTables(sql.all(COLUMNS_QUERY)).map((table) => {
    const order = table.key.map(quoted).join();
    const rows = sql
      .all(`SELECT ${rowValues(table)} FROM ${quoted(table.name)} AS t ORDER BY ${order}`)
      .map((row) => toCopiedRow(table, row));
    return { name: table.name, columns: table.columns, rows };
  });
  const steps = tables.find(({ name }) => name === "migration")?.rows ?? [];
  const isCounted = sql.all("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'");
  const counters =
    isCounted.length === 0
      ? []
      : sql.all<{ name: string; seq: number }>("SELECT name, seq FROM sqlite_sequence");
  return {
    step: steps.length,
    tables,
    counters: Object.fromEntries(counters.map(({ name, seq }) => [name, seq])),
  };
}

/** Brings an object back that holds nothing. `databaseMs` is the moment of the database, in milliseconds since the epoch. */
export async function restoreObject(
  object: RestoredObject,
  { step, tables, counters }: SavedObject,
  databaseMs: number,
): Promise<void> {
  const restoration = newId();
  const described = tables.map(({ name, columns, rows }) => ({ name, columns, rows: rows.length }));
  await restoreStep<"begin">(object, { kind: "begin", restoration, step, tables: described });
  for (const { name, rows } of tables) {
    await restoreStep<"rows">(object, { kind: "rows", restoration, table: name, after: 0, rows });
  }
  await restoreStep<"end">(object, { kind: "end", restoration, counters, moment: { databaseMs } });
}
