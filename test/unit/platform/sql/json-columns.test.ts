import { expect, test } from "vitest";
import { jsonColumns } from "#platform/sql/json-columns.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

test("gives each value by its name", () => {
  const { rowText, items } = jsonColumns("sequence", "item");
  const rows = [
    { sequence: 1, item: "a" },
    { item: null, sequence: 2 },
  ];
  const statement = `SELECT ${items.item} AS item, ${items.sequence} AS sequence FROM json_each(?)`;
  expect(new NodeSql().all(statement, `[${rows.map(rowText).join()}]`)).toEqual(rows);
});
