import { getTableColumns, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { SQLiteTable } from "drizzle-orm/sqlite-core";
import { packJson } from "./pack-json.ts";
import { stringifyJson } from "#platform/json.ts";

/** Rows that a statement takes as JSON parameters. */
export interface JsonRows<Name extends string> {
  /** The rows, for `FROM`. The table is called `r`. */
  readonly source: SQL;
  /** The value of each name in the row that the statement is at, such as `r.item ->> 3`. */
  readonly items: Readonly<Record<Name, SQL>>;
}

/**
 * Rows of named values as a source of a statement:
 *
 *     const { source, items } = jsonRows([{ reference: "a", type: "PAYOUT" }]);
 *     sql`SELECT ${items.reference} FROM ${source} ORDER BY ${ROW_ORDER}`
 *
 * All rows have the names of the first row, and at least one row is needed. The parameters hold arrays of values without the names.
 * However many rows there are, they are one statement of a few parameters.
 */
export function jsonRows<Name extends string>(
  rows: readonly Readonly<Record<Name, unknown>>[],
): JsonRows<Name> {
  const { packs, items } = packRows(rows);
  return { source: sourceOf(packs), items };
}

/** Rows as `jsonRows` takes them, for one statement after the other, because their texts together may be too long for one statement. */
export function* jsonRowParts<Name extends string>(
  rows: readonly Readonly<Record<Name, unknown>>[],
): Generator<JsonRows<Name>> {
  const { packs, items } = packRows(rows);
  for (const pack of packs) yield { source: sourceOf([pack]), items };
}

function packRows<Name extends string>(rows: readonly Readonly<Record<Name, unknown>>[]) {
  const names = Object.keys(rows[0] ?? {}) as Name[]; // the type of the rows names no others
  const arrays = rows.map((row) => stringifyJson(names.map((name) => row[name])));
  // The record has one entry for each name.
  const items = Object.fromEntries(
    names.map((name, place) => [name, sql.raw(`r.item ->> ${place}`)]),
  ) as Record<Name, SQL>;
  return { packs: [...packJson(arrays)], items };
}

function sourceOf(packs: readonly string[]): SQL {
  if (packs.length === 1) {
    // D1 bills a row that is read for each row of `VALUES`.
    return sql`(SELECT 0 AS place, e.key AS at, e.value AS item FROM json_each(${packs[0]}) AS e) AS r`;
  }
  const values = packs.map((pack, place) => sql`(${place}, ${pack})`);
  return sql`(
      SELECT pack.column1 AS place, e.key AS at, e.value AS item
      FROM (VALUES ${sql.join(values, sql`, `)}) AS pack, json_each(pack.column2) AS e) AS r`;
}

/** The order of the rows of `jsonRows`. */
export const ROW_ORDER: SQL = sql`r.place, r.at`;

/** An expression for each column of a table, or a value, which is bound; null is `NULL`, which is not bound. */
export type ColumnValues<Table extends SQLiteTable> = {
  readonly [Name in keyof Table["$inferSelect"]]:
    | SQLWrapper
    | Extract<Table["$inferSelect"][Name], string | number>
    | null;
};

/** The values of all columns of a table in its order, for the `SELECT` of `db.insert(table).select(…)`. */
export function columnValues<Table extends SQLiteTable>(
  table: Table,
  values: ColumnValues<Table>,
): SQL {
  const byName: Readonly<Record<string, SQLWrapper | string | number | null>> = values;
  const expressions = Object.keys(getTableColumns(table)).map((name) => {
    const value = byName[name] ?? null;
    return value === null ? sql.raw("NULL") : sql`${value}`;
  });
  return sql.join(expressions, sql`, `);
}
