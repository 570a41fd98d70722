import { expect, test } from "vitest";
import { isCreated, migrate, STEP_LAST } from "#ledger-engine/storage/migrations.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";

test("a migration that was cut off is done again", () => {
  const sql = new NodeSql();
  const failing: Sql = {
    all: <Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] => {
      if (statement.startsWith("INSERT INTO migration")) throw new Error("cut off");
      return sql.all<Row>(statement, ...bindings);
    },
    transaction: (work) => sql.transaction(work),
  };
  expect(() => migrate(failing)).toThrow("cut off");
  expect(isCreated(sql)).toBe(false);
  migrate(sql);
  expect(sql.all("SELECT max(step) AS step FROM migration")).toEqual([{ step: STEP_LAST }]);
});

test("tables of a later version are refused", () => {
  const sql = new NodeSql();
  migrate(sql);
  sql.all("INSERT INTO migration (step) VALUES (?)", STEP_LAST + 1);
  expect(() => migrate(sql)).toThrow("the ledger was made by a later version");
});
