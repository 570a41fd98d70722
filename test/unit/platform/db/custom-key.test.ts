import { sql } from "drizzle-orm";
import { SQLiteSyncDialect } from "drizzle-orm/sqlite-core";
import { describe, expect, test } from "vitest";
import { toCondition } from "#platform/db/filter-sql.ts";
import { COMPARISON, type FilterKeys } from "#platform/db/keys.ts";
import { stringifyJson } from "#platform/json.ts";

const KEYS: FilterKeys = {
  id: { type: "custom", matches: (value) => sql`a = ${value} AND b = 1` },
  labels: { type: "custom", isMap: true, matches: (value, name) => sql`has(${name}, ${value})` },
  name: { type: "text", column: sql`name`, operators: COMPARISON },
};

const compiled = (filter: object): [string, unknown[]] => {
  const condition = toCondition(KEYS, stringifyJson(filter)) ?? sql`none`;
  const { sql: text, params } = new SQLiteSyncDialect().sqlToQuery(condition);
  return [text, params];
};

describe("a key with conditions of its own", () => {
  test("a key with conditions of its own tests one value, or several", () => {
    expect(compiled({ $match: { id: "x" } })).toEqual(["(a = ? AND b = 1)", ["x"]]);
    expect(compiled({ $in: { id: ["x", "y", "x"] } })).toEqual([
      "(a = ? AND b = 1 OR a = ? AND b = 1)",
      ["x", "y"],
    ]);
    expect(compiled({ $in: { id: [] } })).toEqual(["FALSE", []]);
    expect(compiled({ $not: { $match: { id: "x" } } })).toEqual(["NOT ((a = ? AND b = 1))", ["x"]]);
  });

  test("a key with conditions of its own has members where it is a map", () => {
    expect(compiled({ $match: { "labels[tier]": "gold" } })).toEqual([
      "(has(?, ?))",
      ["tier", "gold"],
    ]);
  });

  test.each([
    [{ $match: { "id[x]": "y" } }, "unknown key 'id[x]'"],
    [{ $match: { labels: "y" } }, "unknown key 'labels'"],
    [{ $match: { id: 1 } }, "expected string value"],
    [{ $gt: { id: "x" } }, "operator '$gt' is not allowed for property 'id'"],
    [{ $exists: { id: true } }, "operator '$exists' is not allowed for property 'id'"],
  ])("a key with conditions of its own refuses %j", (filter, message) => {
    expect(() => compiled(filter)).toThrow(message);
  });
});

test("texts are compared where a list says so", () => {
  expect(compiled({ $gte: { name: "x" } })).toEqual(["(name) >= ?", ["x"]]);
  expect(() => compiled({ $like: { name: "x" } })).toThrow("operator '$like' is not allowed");
});
