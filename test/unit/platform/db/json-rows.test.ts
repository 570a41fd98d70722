import { sql } from "drizzle-orm";
import { integer, SQLiteSyncDialect, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { expect, test } from "vitest";
import { columnValues, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";

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
    "SELECT r.item ->> 2, r.item ->> 0 FROM ( SELECT pack.column1 AS place, e.key AS at, e.value AS item " +
      "FROM (VALUES (?, ?)) AS pack, json_each(pack.column2) AS e) AS r ORDER BY r.place, r.at",
  );
  expect(params).toEqual([0, '[["a","PAYOUT",1180591620717411303424],["b",null,null]]']);
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
