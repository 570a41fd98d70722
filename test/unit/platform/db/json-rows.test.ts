import { sql } from "drizzle-orm";
import { integer, SQLiteSyncDialect, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { guardedRows, guardParts } from "#platform/db/guarded-rows.ts";
import { columnValues, jsonRowParts, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { PARAMETER_LENGTH_MAX } from "#platform/db/pack-json.ts";

const dialect = new SQLiteSyncDialect();

test("gives each value by its name, whatever the order of the names in later rows", () => {
  const { source, items } = jsonRows([
    { reference: "a", type: "PAYOUT", amount: 2n ** 70n },
    { amount: null, type: undefined, reference: "b" },
  ]);
  const { sql: text, params } = dialect.sqlToQuery(
    sql`SELECT ${items.amount}, ${items.reference} FROM ${source} ORDER BY ${ROW_ORDER}`,
  );
  expect(text.replaceAll(/\s+/g, " ")).toBe(
    "SELECT r.item ->> 2, r.item ->> 0 FROM (SELECT 0 AS place, e.key AS at, e.value AS item " +
      "FROM json_each(?) AS e) AS r ORDER BY r.place, r.at",
  );
  expect(params).toEqual(['[["a","PAYOUT",1180591620717411303424],["b",null,null]]']);
});

const LONG = "x".repeat(PARAMETER_LENGTH_MAX);

test("takes rows that are too long for one parameter in one statement or in one for each parameter", () => {
  const rows = [{ text: LONG }, { text: "short" }];
  const { sql: text, params } = dialect.sqlToQuery(jsonRows(rows).source);
  expect(text.replaceAll(/\s+/g, " ")).toBe(
    "( SELECT pack.column1 AS place, e.key AS at, e.value AS item " +
      "FROM (VALUES (?, ?), (?, ?)) AS pack, json_each(pack.column2) AS e) AS r",
  );
  expect(params).toEqual([0, `[["${LONG}"]]`, 1, '[["short"]]']);
  const parts = [...jsonRowParts(rows)].map(({ source }) => dialect.sqlToQuery(source).params);
  expect(parts).toEqual([[`[["${LONG}"]]`], ['[["short"]]']]);
});

test("gives the parts of a guard by their names", () => {
  const { source, items } = guardedRows([
    { guard: { id: "i", attempts: 2 }, columns: { at: "t" } },
  ]);
  const { attempts } = guardParts("id", "attempts");
  expect(
    dialect.sqlToQuery(sql`SELECT ${items.at} FROM ${source} WHERE ${attempts} > 1`),
  ).toMatchObject({
    sql: "SELECT r.item ->> 1 FROM (SELECT 0 AS place, e.key AS at, e.value AS item FROM json_each(?) AS e) AS r WHERE r.item ->> '$[0].attempts' > 1",
    params: ['[[{"id":"i","attempts":2},"t"]]'],
  });
});

test("puts values into the order of a table's columns", () => {
  const table = sqliteTable("t", {
    key: integer("key").primaryKey(),
    type: text("type").notNull(),
    depth: integer("depth").notNull(),
    reference: text("reference").notNull(),
  });
  const { items } = jsonRows([{ reference: "a", type: "PAYOUT" }]);
  const values = columnValues(table, { ...items, depth: 3, key: null });
  expect(dialect.sqlToQuery(values)).toMatchObject({
    sql: "NULL, r.item ->> 1, ?, r.item ->> 0",
    params: [3],
  });
});
