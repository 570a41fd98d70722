import { createHash } from "node:crypto";
import { parseJson } from "#platform/json.ts";
import type { Sql, SqlValue } from "#platform/sql/sql.ts";

const LAST_LOG =
  "max((SELECT coalesce(max(id), -1) FROM entry), coalesce((SELECT log FROM tx ORDER BY tx.id DESC LIMIT 1), -1))";

/**
 * The tables of a ledger: the columns of their primary keys, and the columns (or expressions) that a rebuild must
 * reproduce.
 */
const TABLES = {
  // Only this table knows which events were published and which entries were imported, so that all that can be checked
  // is that both ids lie within the log.
  ledger: {
    key: ["one"],
    columns: [
      "uuid",
      "name",
      "bucket",
      "features",
      `published_log BETWEEN 0 AND max(0, ${LAST_LOG}) AS published_log`,
      "deleted_at",
      `(imported_log IS NULL OR imported_log BETWEEN 0 AND ${LAST_LOG}) AS imported_log`,
    ],
  },
  migration: { key: ["step"], columns: ["cursor"] },
  asset: { key: ["id"], columns: ["name"] },
  account: {
    key: ["id"],
    columns: ["address", "first_usage", "inserted_at", "updated_at", "metadata"],
  },
  tx: {
    key: ["id"],
    columns: [
      "place",
      "date",
      "payload",
      "hash",
      "key",
      "seal",
      "timestamp",
      "reference",
      "metadata",
      "updated_at",
      "reverted_at",
    ],
  },
  entry: {
    key: ["id"],
    columns: ["date", "type", "payload", "hash", "key", "key_hash", "checksum"],
  },
  move: {
    key: ["account", "asset", "tx"],
    columns: [
      "role",
      "input",
      "output",
      "timestamp",
      "effective_delta_input",
      "effective_delta_output",
    ],
  },
  metadata_index: { key: ["scope", "key", "value", "target"], columns: [] },
  metadata_log: { key: ["kind", "target", "log"], columns: ["tx"] },
  schema: { key: ["log"], columns: ["version", "created_at"] },
} as const;

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]; // the keys of a literal

export type Key = readonly number[];

/** The rows of a table in the order of its key, after `after` and up to `to`, or to the end. */
export interface TableRange {
  readonly table: TableName;
  readonly after: Key | undefined;
  readonly to: Key | undefined;
}

export interface RangeDigest {
  readonly rows: number;
  /** The end of the part of the range that the digest is of: that of the range, or an earlier key. */
  readonly to: Key | undefined;
  /** SHA-256 in hex. */
  readonly hash: string;
}

/** This many rows are read at a time, because some are as large as a row may be, 2 MB. */
const PAGE_ROWS = 20;

/** A digest by which two ranges can be compared without showing them; of its first rows, if it has more than `rowsMax`. */
export function digestOf(sql: Sql, range: TableRange, rowsMax = Infinity): RangeDigest {
  const hash = createHash("sha256");
  let rows = 0;
  let to = range.to;
  for (const { key, cells } of rowsOf(sql, range)) {
    hash.update(`${key.join(",")} ${cells}\n`);
    rows++;
    if (rows < rowsMax) continue;
    to = key;
    break;
  }
  return { rows, to, hash: hash.digest("hex") };
}

/** A row without its cells, which may be large. */
export interface RowDigest {
  readonly key: Key;
  /** The first `ROW_HASH_DIGITS` digits of the hash, in hex. */
  readonly hash: string;
}

/** The digest of each row of a range. */
export const rowDigestsOf = (sql: Sql, range: TableRange): RowDigest[] =>
  Array.from(rowsOf(sql, range), ({ key, cells }) => ({
    key,
    hash: createHash("sha256").update(cells).digest("hex").slice(0, ROW_HASH_DIGITS),
  }));

const ROW_HASH_DIGITS = 32;

/** The cells of a row, `undefined` where there is none. */
export function cellsAt(sql: Sql, table: TableName, key: Key): string | undefined {
  const row = `(${TABLES[table].key.join(", ")}) = (${key.map(() => "?").join(", ")})`;
  return sql.all<{ cells: string }>(
    `SELECT ${cellsOf(table)} AS cells FROM ${table} WHERE ${row}`,
    ...key,
  )[0]?.cells;
}

export interface TableRow {
  readonly key: Key;
  /** A JSON list of texts: the columns as SQL literals. */
  readonly cells: string;
}

export function* rowsOf(sql: Sql, { table, after, to }: TableRange): Generator<TableRow> {
  const { key } = TABLES[table];
  let last = after;
  for (;;) {
    const { where, bindings } = boundsOf(key, last, to);
    const rows = sql.all<Record<string, number> & { cells: string }>(
      `SELECT ${key.join(", ")}, ${cellsOf(table)} AS cells FROM ${table} ${where} ORDER BY ${key.join(", ")} LIMIT ${PAGE_ROWS}`,
      ...bindings,
    );
    for (const row of rows) yield { key: key.map((name) => row[name] ?? 0), cells: row.cells };
    const end = rows.at(-1);
    if (end === undefined || rows.length < PAGE_ROWS) return;
    last = key.map((name) => end[name] ?? 0);
  }
}

/** The key of the row that comes `rows` rows after a key, `undefined` where the table ends before. */
export function keyBehind(sql: Sql, { table, after }: TableRange, rows: number): Key | undefined {
  const { key } = TABLES[table];
  const { where, bindings } = boundsOf(key, after, undefined);
  const [row] = sql.all<Record<string, number>>(
    `SELECT ${key.join(", ")} FROM ${table} ${where} ORDER BY ${key.join(", ")} LIMIT 1 OFFSET ${rows - 1}`,
    ...bindings,
  );
  return row === undefined ? undefined : key.map((name) => row[name] ?? 0);
}

/** The columns in which two rows of a table differ. */
export function differingColumns(table: TableName, a: string, b: string): ColumnDifference[] {
  const [first, second] = [toCells(a), toCells(b)];
  return TABLES[table].columns.flatMap((column, index) => {
    const [stored = "NULL", expected = "NULL"] = [first[index], second[index]];
    return stored === expected
      ? []
      : [{ column: nameOf(column), stored: shown(stored), expected: shown(expected) }];
  });
}

export interface ColumnDifference {
  readonly column: string;
  /** The values as SQL literals. Long ones are cut. */
  readonly stored: string;
  readonly expected: string;
}

const toCells = (text: string): readonly string[] => parseJson(text) as string[]; // made by `cellsOf`

const shown = (literal: string): string =>
  literal.length > SHOWN_MAX
    ? `${literal.slice(0, SHOWN_MAX)}… (${literal.length} characters)`
    : literal;
const SHOWN_MAX = 200;

const EXPRESSION = /^(.*) AS (\w+)$/;
const nameOf = (column: string): string => EXPRESSION.exec(column)?.[2] ?? column;
const valueOf = (column: string): string => EXPRESSION.exec(column)?.[1] ?? column;

const cellsOf = (table: TableName): string =>
  `json_array(${TABLES[table].columns.map((column) => literalOf(valueOf(column))).join(", ")})`;

/** `quote` ends a text at U+0000. No ledger stores that character, but a damaged one may. */
const literalOf = (value: string): string =>
  `quote(${value}) || iif(typeof(${value}) = 'text' AND instr(CAST(${value} AS BLOB), x'00') > 0, hex(${value}), '')`;

function boundsOf(key: readonly string[], after: Key | undefined, to: Key | undefined) {
  const conditions: string[] = [];
  const bindings: SqlValue[] = [];
  const row = `(${key.join(", ")})`;
  const values = `(${key.map(() => "?").join(", ")})`;
  if (after !== undefined) {
    conditions.push(`${row} > ${values}`);
    bindings.push(...after);
  }
  if (to !== undefined) {
    conditions.push(`${row} <= ${values}`);
    bindings.push(...to);
  }
  return { where: conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`, bindings };
}
