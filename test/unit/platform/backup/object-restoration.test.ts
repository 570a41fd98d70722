import { expect, test } from "vitest";
import type { CopiedRow } from "#platform/backup/copied-table.ts";
import {
  type BackupMoment,
  ObjectRestoration,
  type ObjectRestoreStep,
  type Settlement,
} from "#platform/backup/object-restoration.ts";
import { type Result, unwrap } from "#platform/result.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";
import type { Step } from "#platform/sql/step.ts";
import { hasSteps, TableSteps } from "#platform/sql/table-steps.ts";
import { type SavedObject, savedObjectOf } from "#test/support/platform/backup/saved-object.ts";

const FIRST: Step = {
  name: "things",
  statements: [
    "CREATE TABLE thing (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, value ANY) STRICT",
    "CREATE TABLE other (key TEXT PRIMARY KEY, size INTEGER) STRICT, WITHOUT ROWID",
    "CREATE TABLE seeded (id INTEGER NOT NULL) STRICT",
    "INSERT INTO seeded VALUES (0)",
  ],
};
const SECOND: Step = {
  name: "weights",
  statements: ["ALTER TABLE thing ADD COLUMN weight INTEGER NOT NULL DEFAULT 7"],
};
const OLD = new TableSteps("the object", [FIRST]);
const TABLES = new TableSteps("the object", [FIRST, SECOND]);
const MOMENT: BackupMoment = { databaseMs: 1000 };

/** A restoration of an object that nobody has used. */
function bench(tables = TABLES, settle?: (sql: Sql, moment: BackupMoment) => Settlement) {
  const sql = new NodeSql();
  const done: string[] = [];
  const restoration = new ObjectRestoration({
    sql,
    tables,
    settle: async (moment) =>
      settle?.(sql, moment) ?? {
        change: () => done.push("change"),
        wake: () => done.push("wake"),
      },
  });
  const step = async (wanted: ObjectRestoreStep): Promise<unknown> =>
    unwrap((await restoration.step(wanted)) as Result<unknown>);
  return { sql, done, step };
}

/** An object with values that JavaScript does not have, at the first step. */
function savedAtFirst(): SavedObject {
  const sql = new NodeSql();
  OLD.migrateToEnd(sql);
  sql.all(`INSERT INTO thing (id, name, value) VALUES
    (1, 'large', 9223372036854775807), (2, 'bytes', x'00ff'), (3, 'real', 5.0), (4, 'null', NULL),
    (5, 'text', '5'), (9, 'ein "Zitat" ' || char(8232), -1)`);
  sql.all("DELETE FROM thing WHERE id = 9");
  sql.all("INSERT INTO thing (id, name, value) VALUES (6, 'ein \"Zitat\" ' || char(8232), -1)");
  sql.all("INSERT INTO other VALUES ('a', 1), ('b', 9007199254740993)");
  sql.all("UPDATE seeded SET id = 4");
  return savedObjectOf(sql);
}

const beginOf = ({ step, tables }: SavedObject, restoration = "r1"): ObjectRestoreStep => ({
  kind: "begin",
  restoration,
  step,
  tables: tables.map(({ name, columns, rows }) => ({ name, columns, rows: rows.length })),
});

const rowsOf = (table: string, rows: readonly CopiedRow[], after = 0): ObjectRestoreStep => ({
  kind: "rows",
  restoration: "r1",
  table,
  after,
  rows,
});

const endOf = ({ counters }: SavedObject): ObjectRestoreStep => ({
  kind: "end",
  restoration: "r1",
  counters,
  moment: MOMENT,
});

const things = (sql: Sql) =>
  sql.all(
    "SELECT id, name, typeof(value) AS type, CAST(value AS TEXT) AS value, hex(value) AS hex, weight FROM thing ORDER BY id",
  );

test("rows of an earlier step come back exactly, and the later steps follow", async () => {
  const saved = savedAtFirst();
  const { sql, done, step } = bench();
  expect(saved.step).toBe(1);
  await step(beginOf(saved));
  for (const { name, rows } of saved.tables) {
    for (const [after, row] of rows.entries()) await step(rowsOf(name, [row], after));
  }
  expect([hasSteps(sql), done]).toEqual([false, []]);
  await step(endOf(saved));
  expect(things(sql).map(({ id, type, value, weight }) => [id, type, value, weight])).toEqual([
    [1, "integer", "9223372036854775807", 7],
    [2, "blob", expect.anything(), 7],
    [3, "real", "5.0", 7],
    [4, "null", null, 7],
    [5, "text", "5", 7],
    [6, "integer", "-1", 7],
  ]);
  expect(things(sql)[1]).toMatchObject({ hex: "00FF" });
  expect(things(sql)[5]).toMatchObject({ name: 'ein "Zitat" \u2028' });
  expect(sql.all("SELECT CAST(size AS TEXT) AS size FROM other WHERE key = 'b'")).toEqual([
    { size: "9007199254740993" },
  ]);
  expect(sql.all("SELECT id FROM seeded")).toEqual([{ id: 4 }]);
  expect(sql.all("INSERT INTO thing (name) VALUES ('next') RETURNING id")).toEqual([{ id: 10 }]);
  expect(TABLES.read(sql).map(({ state }) => state)).toEqual(["DONE", "DONE"]);
  expect(done).toEqual(["change", "wake"]);
});

test("each step may come twice, and a kill between two of them loses nothing", async () => {
  const saved = savedAtFirst();
  const { sql, done, step } = bench();
  const thing = saved.tables.find(({ name }) => name === "thing")?.rows ?? [];
  await step(beginOf(saved));
  await step(rowsOf("thing", thing.slice(0, 4)));
  await step(rowsOf("thing", thing.slice(0, 4)));
  expect(await step(beginOf(saved))).toEqual({
    isEnded: false,
    rows: { migration: 0, other: 0, seeded: 0, thing: 4 },
  });
  await step(rowsOf("thing", thing.slice(4), 4));
  for (const { name, rows } of saved.tables) if (name !== "thing") await step(rowsOf(name, rows));
  await Promise.all([step(endOf(saved)), step(endOf(saved))]);
  await step(endOf(saved));
  expect(await step(beginOf(saved))).toEqual({ isEnded: true, rows: {} });
  await step(rowsOf("thing", thing.slice(0, 1)));
  expect([done, things(sql).length]).toEqual([["change", "wake"], 6]);
});

test("an end that fails, because what rows have to fit cannot be read, is repeated", async () => {
  const saved = savedAtFirst();
  let tries = 0;
  const { sql, step } = bench(TABLES, (rows, { databaseMs }) => {
    if (++tries === 1) throw new Error("D1 does not answer");
    return {
      change: () => rows.all("UPDATE thing SET weight = ?", databaseMs),
      wake: () => undefined,
    };
  });
  await step(beginOf(saved));
  for (const { name, rows } of saved.tables) await step(rowsOf(name, rows));
  await expect(step(endOf(saved))).rejects.toThrow("D1 does not answer");
  await step(endOf(saved));
  expect(things(sql)[0]).toMatchObject({ weight: 1000 });
});

test("rows that do not come next, too few of them, and rows of another width are refused", async () => {
  const saved = savedAtFirst();
  const { sql, step } = bench();
  await expect(step(rowsOf("thing", []))).rejects.toMatchObject({ kind: "CONFLICT" });
  await step(beginOf(saved));
  await expect(step(rowsOf("thing", [[1, "a", 1]], 1))).rejects.toThrow("has 0 of 6 rows");
  await expect(step(rowsOf("nothing", []))).rejects.toThrow("no table 'nothing'");
  await expect(step(rowsOf("thing", [[1, "a"]]))).rejects.toMatchObject({ kind: "VALIDATION" });
  const tooMany = Array.from({ length: 7 }, (_, n): CopiedRow => [n + 1, `${n}`, n]);
  await expect(step(rowsOf("thing", tooMany))).rejects.toThrow("has 0 of 6 rows");
  await expect(step({ ...rowsOf("thing", []), restoration: "r2" })).rejects.toThrow("has begun");
  await expect(step(endOf(saved))).rejects.toThrow("has 0 of");
  expect(() => TABLES.migrateToEnd(sql)).toThrow("is being restored from a backup");
});

test("an object that holds something, or whose tables a later version has made, is refused", async () => {
  const saved = savedAtFirst();
  const used = bench();
  TABLES.migrateToEnd(used.sql);
  used.sql.all("INSERT INTO other VALUES ('a', 1)");
  await expect(used.step(beginOf(saved))).rejects.toThrow("holds something already");
  const later = bench();
  await expect(later.step(beginOf({ ...saved, step: 3 }))).rejects.toThrow("knows only 2");
  const strange = saved.tables.map((table) => ({ ...table, columns: [...table.columns, "more"] }));
  await expect(later.step(beginOf({ ...saved, tables: strange }))).rejects.toThrow(
    "with the column 'more'",
  );
  await later.step(beginOf(saved));
  await expect(later.step(beginOf(saved, "r2"))).rejects.toThrow("holds something already");
});

test("an object without tables stays without, and is told of its end", async () => {
  const { sql, done, step } = bench();
  const saved: SavedObject = { step: 0, tables: [], counters: {} };
  await step(beginOf(saved));
  await step(endOf(saved));
  expect([hasSteps(sql), done]).toEqual([false, ["change", "wake"]]);
});
