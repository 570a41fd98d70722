import { type CopiedRow, type CopiedTable, type CopiedValue, quoted } from "./copied-table.ts";
import type { CopyStatement } from "./copy-database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import type { SqlValue } from "#platform/sql/sql.ts";

/** Characters of JSON that one statement gets. A text that is bound to a statement of D1 has at most two million bytes. */
const TEXT_MAX = 400_000;

/**
 * The statements that insert rows of a copy into a table, whose values they keep exactly: integers beyond 2^53, bytes, and real numbers in
 * columns that tell them from integers. `columns` names the values of a row, in order. Throws `VALIDATION` for a column that the table does
 * not have, and for a row of another length.
 */
export function insertRows(
  table: CopiedTable,
  columns: readonly string[],
  rows: readonly CopiedRow[],
): CopyStatement[] {
  const strange = columns.find((name) => !table.columns.includes(name));
  if (strange !== undefined) {
    throw new AppError("VALIDATION", `the table ${table.name} has no column ${strange}`);
  }
  if (rows.some(({ length }) => length !== columns.length)) {
    throw new AppError("VALIDATION", `a row of ${table.name} has ${columns.length} values`);
  }
  const into = `INSERT INTO ${quoted(table.name)} (${columns.map(quoted).join()})`;
  const statements: CopyStatement[] = [];
  let texts: string[] = [];
  let length = 0;
  const flush = (): void => {
    if (texts.length === 0) return;
    const text = `${into} SELECT ${columns.map((_, index) => itemOf(index)).join()} FROM json_each(?1)`;
    statements.push({ text, params: [`[${texts.join()}]`] });
    [texts, length] = [[], 0];
  };
  for (const row of rows) {
    const text = stringifyJson(row);
    if (length + text.length > TEXT_MAX) flush();
    if (text.length > TEXT_MAX) {
      statements.push(insertLargeRow(into, row));
    } else {
      texts.push(text);
      length += text.length;
    }
  }
  flush();
  return statements;
}

/** SQL for an item of the row `value`, which is a JSON list. */
function itemOf(index: number): string {
  const path = `'$[${index}]`;
  return `CASE json_type(value, ${path}')
    WHEN 'object' THEN iif(json_type(value, ${path}.hex') = 'text', unhex(value ->> ${path}.hex'), CAST(value ->> ${path}.real' AS REAL))
    ELSE value ->> ${path}' END`;
}

/** Inserts a row that is too large for one text: each value is bound by itself, and many bytes in pieces. */
function insertLargeRow(into: string, row: CopiedRow): CopyStatement {
  const params: SqlValue[] = [];
  const bind = (param: SqlValue): string => `?${params.push(param)}`;
  return { text: `${into} VALUES (${row.map((value) => boundValue(value, bind)).join()})`, params };
}

/** SQL for a value that is bound. Numbers are bound as texts, because integers may exceed those of JavaScript. */
function boundValue(value: CopiedValue, bind: (param: SqlValue) => string): string {
  if (value === null || typeof value === "string") return bind(value);
  if (typeof value !== "object") return `${bind(stringifyJson(value))} ->> '$'`;
  if ("real" in value) return `CAST(${bind(String(value.real))} AS REAL)`;
  const pieces = value.hex.match(HEX_PIECE) ?? [""];
  return `CAST(${pieces.map((piece) => `unhex(${bind(piece)})`).join(" || ")} AS BLOB)`;
}

/** Half a million hexadecimal digits, an even number. */
const HEX_PIECE = /.{1,500000}/g;
