import { present } from "#platform/assert.ts";
import { AppError } from "#platform/errors.ts";
import { parseRequestJson } from "#platform/request-json.ts";
import type { SqlRow, SqlValue } from "#platform/sql/sql.ts";

/** A table that is copied, with the columns of its rows in a copy. */
export interface CopiedTable {
  readonly name: string;
  /** The columns of a copied row, in order: `rowid` where no column is an alias of it, then the stored columns. */
  readonly columns: readonly string[];
  /** The columns that identify a row: its rowid, or the primary key of a table without rowids. */
  readonly key: readonly string[];
  /** The columns whose values JavaScript may not read exactly. */
  readonly inexact: readonly string[];
  /** Whether the table gives no id away twice (`AUTOINCREMENT`). */
  readonly isCounted: boolean;
}

/**
 * A value of a copied row as JSON has it: an integer beyond 2^53 as a `bigint`, bytes as `{ "hex": … }`, and a real number in a column that
 * tells it from an integer as `{ "real": … }`.
 */
export type CopiedValue =
  | string
  | number
  | bigint
  | null
  | { readonly hex: string }
  | { readonly real: number };

/** The values of a row in the order of `CopiedTable.columns`. */
export type CopiedRow = readonly CopiedValue[];

/** A stored column of a table. */
interface StoredColumn {
  readonly table: string;
  readonly name: string;
  readonly type: string;
  /** The place of the column in the primary key, from 1 on; 0 for other columns. */
  readonly pk: number;
  /** The text of the statement that makes the table. */
  readonly definition: string;
}

/** Excludes tables of SQLite, of the runtime and of a copy itself. */
const OWN_TABLES =
  "t.name NOT GLOB 'sqlite_*' AND t.name NOT GLOB '_cf_*' AND t.name NOT GLOB 'copy_*'";

/** The stored columns of all tables; columns that SQLite computes are left out. */
export const COLUMNS_QUERY = `
  SELECT t.name AS "table", c.name, upper(c.type) AS type, c.pk, t.sql AS definition
  FROM sqlite_master AS t, pragma_table_info(t.name) AS c
  WHERE t.type = 'table' AND ${OWN_TABLES} ORDER BY t.name, c.cid`;

/** SQL for the definitions of all tables as one text. */
export const SCHEMA_TEXT = `(SELECT coalesce(group_concat(sql, ';'), '') FROM (
  SELECT t.sql FROM sqlite_master AS t WHERE t.type = 'table' AND ${OWN_TABLES} ORDER BY t.name))`;

/** The tables whose columns are the rows of `COLUMNS_QUERY`. Throws for a table of which no copy can be made. */
export function toTables(rows: readonly SqlRow[]): CopiedTable[] {
  const columns = rows.map((row) => ({
    table: String(row["table"]),
    name: String(row["name"]),
    type: String(row["type"]),
    pk: Number(row["pk"]),
    definition: String(row["definition"]),
  }));
  return [...Map.groupBy(columns, ({ table }) => table)].map(([name, own]) => toTable(name, own));
}

function toTable(name: string, columns: readonly StoredColumn[]): CopiedTable {
  const { definition } = present(columns[0], "a table has columns");
  if (/^CREATE\s+VIRTUAL/i.test(definition)) throw new Error(`${name} is a virtual table`);
  const names = columns.map((column) => column.name);
  const inexact = columns.filter(({ type }) => !EXACT_TYPES.has(type)).map((column) => column.name);
  const isCounted = /\bAUTOINCREMENT\b/i.test(definition);
  const primary = columns.filter(({ pk }) => pk > 0).toSorted((a, b) => a.pk - b.pk);
  const key = primary.map((column) => column.name);
  if (WITHOUT_ROWID.test(definition)) return { name, columns: names, key, inexact, isCounted };
  const isAlias = primary.length === 1 && primary[0]?.type === "INTEGER";
  if (isAlias) return { name, columns: names, key, inexact, isCounted };
  return {
    name,
    columns: ["rowid", ...names],
    key: ["rowid"],
    inexact: ["rowid", ...inexact],
    isCounted,
  };
}

const WITHOUT_ROWID = /\bWITHOUT\s+ROWID\s*(?:,\s*STRICT\s*)?$/i;
/** Types of columns whose affinity keeps integers, real numbers of other columns and bytes out. */
const EXACT_TYPES: ReadonlySet<string> = new Set(["TEXT", "REAL"]);

/** An identifier in SQL. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A text in SQL. */
export const quotedText = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** SQL for the key of a row as a JSON list. `row` is how the row is called: `t`, `NEW`, `OLD`. */
export const keyText = ({ key }: CopiedTable, row: string): string =>
  `json_array(${key.map((name) => `${row}.${quoted(name)}`).join()})`;

/** Throws `VALIDATION` for a text that is not the key of a row. */
export function assertKey({ name, key }: CopiedTable, text: string): void {
  const values = parseRequestJson(text, "the key");
  const isKey = Array.isArray(values) && values.length === key.length && values.every(isPart);
  if (!isKey) throw new AppError("VALIDATION", `${text} is not the key of a row of '${name}'`);
}

const isPart = (value: unknown): boolean => ["string", "number", "bigint"].includes(typeof value);

/** SQL for the approximate number of bytes of the row `t`. */
export const rowBytes = ({ columns }: CopiedTable): string =>
  columns.map((name) => `coalesce(octet_length(t.${quoted(name)}), 0)`).join(" + ");

/**
 * SQL for all values of the row `t`, as the columns `c0`, `c1`, …, and `marks`, which has one character for each inexact column: `i` for an
 * integer that is given as digits, `b` for bytes that are given as hexadecimal digits, `r` for a real number, `.` otherwise.
 */
export function rowValues({ columns, inexact }: CopiedTable): string {
  const values = columns.map((name, index) => {
    const column = `t.${quoted(name)}`;
    const value = inexact.includes(name)
      ? `CASE typeof(${column}) WHEN 'blob' THEN hex(${column}) WHEN 'integer' THEN ${exactInteger(column)} ELSE ${column} END`
      : column;
    return `${value} AS c${index}`;
  });
  const marks = inexact.map((name) => {
    const column = `t.${quoted(name)}`;
    return `CASE typeof(${column}) WHEN 'blob' THEN 'b' WHEN 'real' THEN 'r' WHEN 'integer' THEN iif(${isLarge(column)}, 'i', '.') ELSE '.' END`;
  });
  return [...values, `${marks.length === 0 ? "''" : marks.join(" || ")} AS marks`].join();
}

const isLarge = (column: string): string =>
  `${column} NOT BETWEEN ${Number.MIN_SAFE_INTEGER} AND ${Number.MAX_SAFE_INTEGER}`;

const exactInteger = (column: string): string =>
  `iif(${isLarge(column)}, CAST(${column} AS TEXT), ${column})`;

/** The row that the columns of `rowValues` hold. */
export function toCopiedRow({ columns, inexact }: CopiedTable, row: SqlRow): CopiedRow {
  const marks = String(row["marks"]);
  return columns.map((name, index) => {
    const value = row[`c${index}`] ?? null;
    assertReadable(value, name);
    const place = inexact.indexOf(name);
    switch (place === -1 ? "." : marks[place]) {
      case "i":
        return BigInt(value ?? 0);
      case "b":
        return { hex: String(value) };
      case "r":
        return { real: Number(value) };
      default:
        return value;
    }
  });
}

/** Throws for bytes in a column of texts, and for infinity: a copy of them would differ. */
function assertReadable(value: SqlValue, column: string): void {
  const isText = value === null || typeof value === "string";
  if (!isText && !Number.isFinite(value)) {
    throw new TypeError(`the column ${column} has a value that its type does not allow`);
  }
}
