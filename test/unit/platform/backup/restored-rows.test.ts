import { expect, test } from "vitest";
import {
  COLUMNS_QUERY,
  type CopiedRow,
  type CopiedTable,
  toTables,
} from "#platform/backup/copied-table.ts";
import { insertRows } from "#platform/backup/restored-rows.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

function tableOf(definition: string): { sql: NodeSql; table: CopiedTable } {
  const sql = new NodeSql();
  sql.all(definition);
  const [table] = toTables(sql.all(COLUMNS_QUERY));
  if (table === undefined) throw new Error("there is a table");
  return { sql, table };
}

/** Inserts rows, and returns the types and texts of what is stored. */
function stored(definition: string, rows: readonly CopiedRow[]): unknown[] {
  const { sql, table } = tableOf(definition);
  for (const { text, params = [] } of insertRows(table, table.columns, rows)) {
    sql.all(text, ...params);
  }
  const shown = table.columns.map(
    (name) => `typeof("${name}") || ' ' || quote("${name}") AS "${name}"`,
  );
  return sql.all(`SELECT ${shown.join()} FROM "${table.name}"`).map((row) => Object.values(row));
}

const VALUES: readonly CopiedRow[] = [
  [1, "a", 9_223_372_036_854_775_807n, { hex: "00FF" }],
  [2, 'it\'s \u2028 "b"', -9_007_199_254_740_993n, { hex: "" }],
  [3, null, 0.5, null],
  [4, "", null, { real: 5 }],
];
const SHOWN = [
  ["integer 1", "text 'a'", "integer 9223372036854775807", "blob X'00FF'"],
  ["integer 2", "text 'it''s \u2028 \"b\"'", "integer -9007199254740993", "blob X''"],
  ["integer 3", "null NULL", "real 0.5", "null NULL"],
  ["integer 4", "text ''", "null NULL", "real 5.0"],
];

test("rows are stored with the types and values that they had", () => {
  expect(
    stored("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c BLOB)", VALUES),
  ).toEqual(SHOWN);
});

test("rows that are too large for one text are bound value by value", () => {
  const large = "x".repeat(450_000);
  const rows = VALUES.map(([id, , b, c]) => [id, large, b, c] as CopiedRow);
  const shown = stored("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER, c BLOB)", rows);
  expect(shown).toEqual(SHOWN.map(([id, , b, c]) => [id, `text '${large}'`, b, c]));
});

test("bytes that are too many for one text are bound in pieces", () => {
  const hex = "00FF10C3".repeat(400_000);
  const shown = stored("CREATE TABLE t (id INTEGER PRIMARY KEY, c BLOB)", [[1, { hex }]]);
  expect(shown).toEqual([["integer 1", `blob X'${hex}'`]]);
});

test("many rows become statements of a bounded size, each with one parameter", () => {
  const { table } = tableOf("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)");
  const rows = Array.from({ length: 100 }, (_, id): CopiedRow => [id, "x".repeat(10_000)]);
  const statements = insertRows(table, table.columns, rows);
  expect(statements.length).toBeGreaterThan(1);
  for (const { params = [] } of statements) {
    expect(params).toHaveLength(1);
    expect(String(params[0]).length).toBeLessThan(420_000);
  }
});

test("rows of unknown columns and of other lengths are refused", () => {
  const { table } = tableOf("CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)");
  expect(() => insertRows(table, ["id", "b"], [])).toThrow("has no column b");
  expect(() => insertRows(table, ["id", "a"], [[1]])).toThrow("has 2 values");
});
