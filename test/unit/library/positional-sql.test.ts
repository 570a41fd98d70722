import { describe, expect, test } from "vitest";
import { PositionalSql, toPositional } from "#library/positional-sql.ts";

describe("a statement with numbered parameters", () => {
  test.each([
    ["SELECT ?1, ?2, ?1", { text: "SELECT ?, ?, ?", bindingNumbers: [1, 2, 1] }],
    ["SELECT ?2, ?, ?1, ?", { text: "SELECT ?, ?, ?, ?", bindingNumbers: [2, 3, 1, 4] }],
    ["SELECT ?12", { text: "SELECT ?", bindingNumbers: [12] }],
    ["SELECT ?, ?", { text: "SELECT ?, ?" }],
  ])("%s takes its bindings by their numbers", (statement, expected) => {
    expect(toPositional(statement)).toEqual(expected);
  });

  test("a statement with numbered parameters is parsed as by SQLite itself", () => {
    const sql = new PositionalSql();
    const statement = "SELECT ?2 AS b, ? AS c, ?1 AS a, ?2 || ?3 AS bc";
    expect(sql.all(statement, "one", "two", "three")).toEqual([
      { b: "two", c: "three", a: "one", bc: "twothree" },
    ]);
    sql.close();
  });
});
