import { createHash, type Hash } from "node:crypto";
import { parseJson } from "#platform/json.ts";
import { first, type Sql, type SqlValue } from "#platform/sql/sql.ts";

const LAST_LOG =
  "max((SELECT coalesce(max(id), -1) FROM entry), coalesce((SELECT log FROM tx ORDER BY tx.id DESC LIMIT 1), -1))";

/**
 * The tables of a ledger that a rebuild must reproduce: the columns of their primary keys, and the columns or expressions
 * that are compared.
 */
const TABLES = {
  // The marks of published events and of imported entries cannot be derived from the log. Only their range is checked.
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

/** The columns that hold bytes. */
const BLOBS: ReadonlySet<string> = new Set(["hash", "seal", "key_hash"]);

/** The columns that may hold texts. */
const TEXTS: ReadonlySet<string> = new Set([
  "input",
  "output",
  "effective_delta_input",
  "effective_delta_output",
  "uuid",
  "name",
  "bucket",
  "features",
  "cursor",
  "address",
  "metadata",
  "payload",
  "key",
  "reference",
  "version",
]);

export type TableName = keyof typeof TABLES;
export const TABLE_NAMES = Object.keys(TABLES) as TableName[]; // the keys of a literal

export type Key = readonly number[];

/** The rows of a table in the order of its key, from `after` (excluded) to `to` (included); undefined for no bound. */
export interface TableRange {
  readonly table: TableName;
  readonly after: Key | undefined;
  readonly to: Key | undefined;
}

export interface RangeDigest {
  readonly rows: number;
  /** The last key that the digest covers: the end of the range, or an earlier key. */
  readonly to: Key | undefined;
  /** SHA-256 in hex. */
  readonly hash: string;
}

/** A digest of the rows of a range, or of its first `rowsMax` rows, by which ranges of two databases are compared. */
export function digestOf(sql: Sql, range: TableRange, rowsMax = Infinity): RangeDigest {
  const hash = createHash("sha256");
  let [rows, after] = [0, range.after];
  for (;;) {
    const limit = Math.min(PAGE_ROWS, rowsMax - rows);
    const page = hashRows(sql, { ...range, after }, { limit, hash });
    rows += page.rows;
    const isEnd = page.rows < limit;
    if (isEnd || rows >= rowsMax) {
      return { rows, to: isEnd ? range.to : page.last, hash: hash.digest("hex") };
    }
    after = page.last;
  }
}

/** The number of rows that are read at a time, as one text if all of them are small. */
const PAGE_ROWS = 250;
/** The most bytes of the line of a small row. A page of small rows is below 2 MB, the largest value of SQL. */
const SMALL_BYTES_MAX = 6000;

/** The number of hashed rows, and the key of the last one. */
interface HashedRows {
  readonly rows: number;
  readonly last: Key | undefined;
}

/** Hashes the lines of the first rows of a range. A line feed, which JSON escapes within texts, ends each line. */
function hashRows(
  sql: Sql,
  range: TableRange,
  { limit, hash }: { readonly limit: number; readonly hash: Hash },
): HashedRows {
  const { rows, largest, text } = linesIn(sql, range, limit);
  if (text === null) return { rows, last: undefined };
  if (largest <= SMALL_BYTES_MAX) {
    hash.update(`${text}\n`);
    return { rows, last: keyOf(range.table, text.slice(text.lastIndexOf("\n") + 1)) };
  }
  const last = keyBehind(sql, range, rows);
  for (const row of textsOf(sql, { ...range, to: last }, lineOf(range.table))) {
    hash.update(`${row.text}\n`);
  }
  return { rows, last };
}

/** The first rows of a range: their number, the bytes of the largest line, and their lines, which are empty for large rows. */
type Lines = { rows: number; largest: number; text: string | null };

function linesIn(sql: Sql, { table, after, to }: TableRange, limit: number): Lines {
  const { key } = TABLES[table];
  const { where, bindings } = boundsOf(key, after, to);
  const select = (line: string): Lines =>
    first(
      sql.all<Lines>(
        `SELECT count(*) AS rows, max(octet_length(line)) AS largest,
            group_concat(iif(octet_length(line) <= ${SMALL_BYTES_MAX}, line, ''), char(10)) AS text
          FROM (SELECT ${line} AS line FROM ${table} ${where} ORDER BY ${key.join(", ")} LIMIT ? + 0)`,
        ...bindings,
        limit,
      ),
    );
  try {
    return select(plainLineOf(table));
  } catch {
    return select(lineOf(table)); // a damaged row has bytes in a column of texts or numbers
  }
}

/** The key of the row of a line. */
const keyOf = (table: TableName, line: string): Key =>
  (parseJson(line) as number[]).slice(0, TABLES[table].key.length); // a line of `lineOf` begins with the key

/** A row without its cells, which may be large. */
export interface RowDigest {
  readonly key: Key;
  /** The first `ROW_HASH_DIGITS` digits of SHA-256 of the row's cells, in hex. */
  readonly hash: string;
}

export const rowDigestsOf = (sql: Sql, range: TableRange): RowDigest[] =>
  Array.from(rowsOf(sql, range), ({ key, cells }) => ({
    key,
    hash: createHash("sha256").update(cells).digest("hex").slice(0, ROW_HASH_DIGITS),
  }));

const ROW_HASH_DIGITS = 32;

/** The cells of a row; undefined if the row does not exist. */
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

export function* rowsOf(sql: Sql, range: TableRange): Generator<TableRow> {
  for (const { key, text } of textsOf(sql, range, cellsOf(range.table))) yield { key, cells: text };
}

/** The number of rows that are read at a time if some may be as large as 2 MB. */
const LARGE_ROWS = 20;

/** The rows of a range, each with the text of an SQL expression. */
function* textsOf(
  sql: Sql,
  { table, after, to }: TableRange,
  expression: string,
): Generator<{ key: Key; text: string }> {
  const { key } = TABLES[table];
  let last = after;
  for (;;) {
    const { where, bindings } = boundsOf(key, last, to);
    const rows = sql.all<Record<string, number> & { text: string }>(
      `SELECT ${key.join(", ")}, ${expression} AS text FROM ${table} ${where} ORDER BY ${key.join(", ")} LIMIT ${LARGE_ROWS}`,
      ...bindings,
    );
    for (const row of rows) yield { key: key.map((name) => row[name] ?? 0), text: row.text };
    const end = rows.at(-1);
    if (end === undefined || rows.length < LARGE_ROWS) return;
    last = key.map((name) => end[name] ?? 0);
  }
}

/** The key of the last of the first `rows` rows of a range; undefined if the range has fewer rows. */
export function keyBehind(
  sql: Sql,
  { table, after, to }: TableRange,
  rows: number,
): Key | undefined {
  const { key } = TABLES[table];
  const { where, bindings } = boundsOf(key, after, to);
  const [row] = sql.all<Record<string, number>>(
    `SELECT ${key.join(", ")} FROM ${table} ${where} ORDER BY ${key.join(", ")} LIMIT 1 OFFSET ? + 0`,
    ...bindings,
    rows - 1,
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
  /** The value in the ledger, as an SQL literal. Long values are cut. */
  readonly stored: string;
  /** The value in the copy. */
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

const cellsOf = (table: TableName): string => `json_array(${literalsOf(table).join(", ")})`;

/** An expression for a row's line: a JSON list of its key and its columns. It takes a third of the time of SQL literals. */
const lineOf = (table: TableName): string =>
  `json_array(${[...TABLES[table].key, ...TABLES[table].columns.map(jsonOf)].join(", ")})`;

/** A faster expression for the line of an undamaged row. It fails for bytes in other columns than `BLOBS`, which JSON cannot express. */
const plainLineOf = (table: TableName): string =>
  `json_array(${[...TABLES[table].key, ...TABLES[table].columns.map(plainJsonOf)].join(", ")})`;

const plainJsonOf = (column: string): string =>
  BLOBS.has(column) ? `quote(${column})` : valueOf(column);

/** An expression for a column in JSON. JSON has no bytes, which a damaged ledger may have in any column. */
function jsonOf(column: string): string {
  const value = valueOf(column);
  if (value !== column) return value;
  return BLOBS.has(column)
    ? `quote(${column})`
    : `iif(typeof(${column}) = 'blob', 'bytes ' || quote(${column}), ${column})`;
}

const literalsOf = (table: TableName): string[] =>
  TABLES[table].columns.map((column) => literalOf(valueOf(column)));

/** An expression for a value as an SQL literal. `quote` ends a text at U+0000, which only a damaged ledger contains. */
const literalOf = (value: string): string =>
  TEXTS.has(value)
    ? `(quote(${value}) || iif(typeof(${value}) = 'text' AND instr(CAST(${value} AS BLOB), x'00') > 0, hex(${value}), ''))`
    : `quote(${value})`;

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
