import { describe, expect, test } from "vitest";
import { BoundedMap } from "#ledger-engine/storage/bounded-map.ts";
import { isCreated, migrate } from "#ledger-engine/storage/migrations.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { dumpOf } from "#test/support/ledger-engine/fixtures.ts";

describe("migrations", () => {
  test("migrations make the tables once", () => {
    const sql = new NodeSql();
    expect(isCreated(sql)).toBe(false);
    migrate(sql);
    expect(isCreated(sql)).toBe(true);
    const before = dumpOf(sql);
    migrate(sql);
    expect(dumpOf(sql)).toBe(before);
  });
});

describe("a transaction of the SQL interface", () => {
  const table = (): NodeSql => {
    const sql = new NodeSql();
    sql.all("CREATE TABLE t (v INTEGER)");
    return sql;
  };
  const insert = (sql: NodeSql, value: number) => sql.all("INSERT INTO t VALUES (?)", value);
  const valuesOf = (sql: NodeSql) =>
    sql.all<{ v: number }>("SELECT v FROM t ORDER BY v").map(({ v }) => v);
  const failing = (work: () => void) => () => {
    work();
    throw new Error("on purpose");
  };

  test("a transaction of the SQL interface gives the result and keeps what was written", () => {
    const sql = table();
    expect(sql.transaction(() => insert(sql, 1).length)).toBe(0);
    expect(valuesOf(sql)).toEqual([1]);
  });

  test("a transaction of the SQL interface keeps nothing when it throws, and passes the error on", () => {
    const sql = table();
    expect(() => sql.transaction(failing(() => insert(sql, 1)))).toThrow("on purpose");
    expect(valuesOf(sql)).toEqual([]);
    sql.transaction(() => insert(sql, 2));
    expect(valuesOf(sql)).toEqual([2]);
  });

  test("a transaction of the SQL interface can be nested: an inner one that throws undoes its own part only", () => {
    const sql = table();
    sql.transaction(() => {
      insert(sql, 1);
      expect(() => sql.transaction(failing(() => insert(sql, 2)))).toThrow("on purpose");
      insert(sql, 3);
    });
    expect(valuesOf(sql)).toEqual([1, 3]);
  });

  test("a transaction of the SQL interface undoes inner ones that had succeeded", () => {
    const sql = table();
    const outer = failing(() => sql.transaction(() => insert(sql, 1)));
    expect(() => sql.transaction(outer)).toThrow("on purpose");
    expect(valuesOf(sql)).toEqual([]);
  });
});

describe("a bounded map", () => {
  test("a bounded map grows until it is trimmed, then loses what came first", () => {
    const map = new BoundedMap<string, number>(2);
    for (const [index, key] of ["a", "b", "c", "d"].entries()) map.set(key, index);
    expect(map.size).toBe(4);
    map.trim();
    expect([map.get("a"), map.get("b"), map.get("c"), map.get("d")]).toEqual([
      undefined,
      undefined,
      2,
      3,
    ]);
    map.clear();
    expect(map.get("d")).toBeUndefined();
  });
});
