import { describe, expect, test } from "vitest";
import { insertionInto, insertRows } from "#ledger-engine/storage/insertion.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";

const ITEMS = insertionInto("item", { id: "?", size: "CAST(? AS INTEGER)", hash: "unhex(?)" });

describe("rows that are inserted together", () => {
  test("rows that are inserted together need no more parameters in a statement than an object takes", () => {
    expect(ITEMS.statements).toHaveLength(33);
    expect(ITEMS.statements.at(-1)?.split("?")).toHaveLength(100);
  });

  test.each([0, 1, 32, 33, 34, 100])("all of %i rows inserted together are stored", (count) => {
    const sql = new NodeSql();
    sql.all("CREATE TABLE item (id INTEGER PRIMARY KEY, size ANY, hash BLOB) STRICT");
    const ids = Array.from({ length: count }, (_, index) => index + 1);
    insertRows(
      sql,
      ITEMS,
      ids.flatMap((id) => [id, Number.MAX_SAFE_INTEGER - id, id % 2 === 0 ? null : "0aff"]),
    );
    const rows = sql.all("SELECT id, typeof(size) AS type, size, hex(hash) AS hash FROM item");
    expect(rows.map((row) => ({ ...row }))).toEqual(
      ids.map((id) => ({
        id,
        type: "integer",
        size: Number.MAX_SAFE_INTEGER - id,
        hash: id % 2 === 0 ? "" : "0AFF",
      })),
    );
  });

  test("rows inserted together leave nothing where one of them cannot be stored, as their transaction fails", () => {
    const sql = new NodeSql();
    sql.all("CREATE TABLE item (id INTEGER PRIMARY KEY, size ANY, hash BLOB) STRICT");
    sql.all("INSERT INTO item (id) VALUES (20)");
    const values = Array.from({ length: 40 }, (_, index) => [index + 1, 1, null]).flat();
    expect(() => sql.transaction(() => insertRows(sql, ITEMS, values))).toThrow("UNIQUE");
    expect(sql.all("SELECT id FROM item").map(({ id }) => id)).toEqual([20]);
    const inner = (): void =>
      sql.transaction(() => {
        insertRows(sql, ITEMS, [1, 1, null, 2, 1, null]);
        expect(() => sql.transaction(() => insertRows(sql, ITEMS, values))).toThrow("UNIQUE");
      });
    inner();
    expect(sql.all("SELECT id FROM item").map(({ id }) => id)).toEqual([1, 2, 20]);
  });
});
