import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { NodeSql } from "#platform/sql/node-sql.ts";

const ROOT = resolve(import.meta.dirname, "../../../..");
const BARE_LIMIT = /LIMIT \?\d*(?! ?\+ 0|\d)/;

describe("a limit that is a parameter", () => {
  const files = globSync("src/**/*.ts", { cwd: ROOT });

  test("a limit as a parameter is never alone in a statement, as SQLite would prepare it anew at each execution", () => {
    const bare = files.filter((file) => BARE_LIMIT.test(readFileSync(resolve(ROOT, file), "utf8")));
    expect(files.length).toBeGreaterThan(300);
    expect(bare).toEqual([]);
    expect(BARE_LIMIT.test("SELECT 1 LIMIT ?3")).toBe(true);
    expect(BARE_LIMIT.test("SELECT 1 LIMIT ?3 + 0")).toBe(false);
  });

  test("a limit that is a parameter limits as one that is alone does", () => {
    const sql = new NodeSql();
    const rows = sql.all("SELECT value FROM json_each('[1,2,3]') LIMIT ? + 0", 2);
    expect(rows).toHaveLength(2);
    sql.close();
  });
});
