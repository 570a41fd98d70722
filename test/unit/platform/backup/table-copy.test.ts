import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { d1CopyDatabase, sqlCopyDatabase } from "#platform/backup/copy-database.ts";
import { ABANDONED_MS } from "#platform/backup/copy-state.ts";
import { TableCopy } from "#platform/backup/table-copy.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { type CopiedDatabase, copyWhole } from "#test/support/platform/backup/copied-database.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { runsOf } from "#test/support/runner/runs.ts";

/** A table of each kind: an alias of the rowid, a rowid of its own, none; and one whose rows are deleted by a cascade. */
const TABLES = [
  "CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, amount INTEGER)",
  "CREATE TABLE named (name TEXT PRIMARY KEY, amount INTEGER, content BLOB)",
  "CREATE TABLE paired (a TEXT NOT NULL, b INTEGER NOT NULL, any_value ANY, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID",
  "CREATE TABLE owned (id TEXT PRIMARY KEY, owner TEXT NOT NULL REFERENCES named (name) ON DELETE CASCADE) STRICT",
  "CREATE TABLE reserve (id INTEGER PRIMARY KEY, filler TEXT)",
];
const LEFT_OUT = new Set(["reserve"]);
const NOW_MS = Date.UTC(2026, 5, 1);

function filledD1(...statements: readonly string[]): NodeD1 {
  const database = new NodeD1();
  for (const statement of [...TABLES, ...statements]) database.exec(statement);
  return database;
}

const copyOf = (database: NodeD1): TableCopy =>
  new TableCopy(d1CopyDatabase(database.binding), LEFT_OUT);

/** The tables, triggers and indexes that a database has besides its own ones. */
const leftovers = (database: NodeD1): unknown[] =>
  database.rows("SELECT name FROM sqlite_master WHERE name GLOB 'copy_*'");

/** What a copy of the database would have if nothing changed meanwhile, read in another way than a copy reads it. */
function contentOf(database: NodeD1): Record<string, unknown[]> {
  const all = (text: string): unknown[] => database.rows(text).map(({ row }) => row);
  const of = (column: string): string =>
    `CASE typeof(${column}) WHEN 'blob' THEN 'x' || hex(${column}) ELSE typeof(${column}) || coalesce(${column}, '') END`;
  return {
    counted: all(`SELECT json_array(id, name, ${of("amount")}) AS row FROM counted ORDER BY id`),
    named: all(
      `SELECT json_array(rowid, name, ${of("amount")}, ${of("content")}) AS row FROM named ORDER BY rowid`,
    ),
    paired: all(`SELECT json_array(a, b, ${of("any_value")}) AS row FROM paired ORDER BY a, b`),
    owned: all(`SELECT json_array(rowid, id, owner) AS row FROM owned ORDER BY rowid`),
  };
}

/** A database that is filled from a copy, with statements of its own. */
function restored(copied: CopiedDatabase): NodeD1 {
  const database = filledD1();
  database.exec("PRAGMA foreign_keys = OFF");
  const columns: Record<string, string> = {
    counted: "id, name, amount",
    named: "rowid, name, amount, content",
    paired: "a, b, any_value",
    owned: "rowid, id, owner",
  };
  for (const [table, rows] of copied.tables) {
    for (const row of rows.values()) {
      const values = row.map((value) => {
        if (typeof value !== "object" || value === null) return value;
        return "hex" in value ? Buffer.from(value.hex, "hex") : value.real;
      });
      const places = row.map((value) =>
        typeof value === "object" && value !== null && "real" in value ? "CAST(? AS REAL)" : "?",
      );
      const bound = values.map((value) =>
        typeof value === "number" && Number.isInteger(value) ? BigInt(value) : value,
      );
      database.rows(`INSERT INTO ${table} (${columns[table]}) VALUES (${places.join()})`, ...bound);
    }
  }
  return database;
}

const text = fc.constantFrom("a", "b", "it's", 'ü"\\', "");
const id = fc.integer({ min: 1, max: 6 });
const amount = fc.constantFrom("0", "-5", "9007199254740993", "-9223372036854775808", "NULL");
const bytes = fc.constantFrom("x'00ff'", "NULL", "x''", "'text'");
const anyValue = fc.constantFrom("5", "5.0", "1.5", "'5'", "x'05'", "NULL", "9223372036854775807");
const sqlText = text.map((value) => `'${value.replaceAll("'", "''")}'`);

/** Statements that insert, replace, update, move and delete rows, some of them many at once. */
const statement = fc.oneof(
  fc
    .tuple(sqlText, amount)
    .map(([name, value]) => `INSERT INTO counted (name, amount) VALUES (${name}, ${value})`),
  fc
    .tuple(id, amount)
    .map(([key, value]) => `UPDATE counted SET amount = ${value} WHERE id = ${key}`),
  fc
    .tuple(id, id)
    .map(([from, to]) => `UPDATE OR IGNORE counted SET id = ${to} WHERE id = ${from}`),
  id.map((key) => `DELETE FROM counted WHERE id = ${key}`),
  fc
    .tuple(sqlText, amount, bytes)
    .map(
      ([name, value, content]) =>
        `INSERT INTO named VALUES (${name}, ${value}, ${content}) ON CONFLICT (name) DO UPDATE SET amount = excluded.amount, content = excluded.content`,
    ),
  sqlText.map((name) => `DELETE FROM named WHERE name = ${name}`),
  fc
    .tuple(sqlText, id, anyValue)
    .map(([a, b, value]) => `INSERT OR REPLACE INTO paired VALUES (${a}, ${b}, ${value})`),
  fc
    .tuple(sqlText, id, sqlText)
    .map(([a, b, to]) => `UPDATE OR IGNORE paired SET a = ${to} WHERE a = ${a} AND b = ${b}`),
  fc
    .tuple(sqlText, sqlText)
    .map(
      ([key, owner]) =>
        `INSERT OR IGNORE INTO owned SELECT ${key}, ${owner} WHERE EXISTS (SELECT 1 FROM named WHERE name = ${owner})`,
    ),
  fc.constantFrom("DELETE FROM counted", "DELETE FROM paired", "UPDATE named SET amount = 7"),
);

describe("a copy of a database", () => {
  it("is the database at the moment of its end, whatever is written between any two calls", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(statement, { maxLength: 12 }),
        fc.array(fc.array(statement, { maxLength: 4 }), { maxLength: 14 }),
        async (first, later) => {
          const database = filledD1(...first);
          const writes = [...later];
          let atEnd: unknown;
          database.onStep = (when) => {
            const isEnding = leftovers(database).length === 0;
            if (when === "after" && isEnding) atEnd ??= contentOf(database);
          };
          const { copied, counters } = await copyWhole(
            copyOf(database),
            () => NOW_MS,
            () => {
              atEnd = undefined;
              for (const text of writes.shift() ?? []) database.exec(text);
            },
          );
          expect(atEnd).toBeDefined();
          expect(contentOf(restored(copied))).toEqual(atEnd);
          const [counter] = database.rows("SELECT seq FROM sqlite_sequence WHERE name = 'counted'");
          const largest = Math.max(
            0,
            ...[...(copied.tables.get("counted")?.values() ?? [])].map(([key]) => Number(key)),
          );
          expect(Math.max(largest, counters["counted"] ?? 0)).toBe(
            Math.max(largest, Number(counter?.["seq"] ?? 0)),
          );
          expect(leftovers(database)).toEqual([]);
        },
      ),
      { numRuns: runsOf(150) },
    );
  });

  it("is made of an object's database in the same way, in pages and with many changes", async () => {
    const sql = new NodeSql();
    for (const text of TABLES) sql.all(text);
    const insert = (from: number, to: number): void => {
      sql.all(
        `WITH RECURSIVE n (i) AS (VALUES (?) UNION ALL SELECT i + 1 FROM n WHERE i < ?) INSERT INTO counted (name, amount) SELECT 'name ' || i, i FROM n`,
        from,
        to,
      );
    };
    insert(1, 12_500);
    let isFirst = true;
    const copy = new TableCopy(sqlCopyDatabase(sql), LEFT_OUT);
    const { copied } = await copyWhole(
      copy,
      () => NOW_MS,
      () => {
        if (isFirst) insert(12_501, 15_000);
        isFirst = false;
      },
    );
    const rows = [...(copied.tables.get("counted")?.values() ?? [])];
    const sum = rows.reduce((total, [, , amountOf]) => total + Number(amountOf), 0);
    expect(sum).toBe((15_000 * 15_001) / 2);
    sql.close();
  });

  it("gives pages of bounded size, and a row that is larger than a page", async () => {
    const database = filledD1(
      "INSERT INTO counted (name) SELECT printf('%.*c', 900000, 'x') FROM json_each('[1,2,3,4,5]')",
      "INSERT INTO counted (name) VALUES (printf('%.*c', 5000000, 'y'))",
      "INSERT INTO counted (name) VALUES ('z')",
    );
    const copy = copyOf(database);
    const { id } = await copy.begin(NOW_MS);
    const pages: number[] = [];
    let after: string | undefined;
    do {
      const page = await copy.page({ id, nowMs: NOW_MS }, { table: "counted", after });
      pages.push(page.rows.length);
      after = page.next;
    } while (after !== undefined);
    expect(pages).toEqual([3, 3, 1]);
  });

  it("reads changes of large rows in answers of bounded size", async () => {
    const database = filledD1();
    const copy = copyOf(database);
    const { id } = await copy.begin(NOW_MS);
    database.exec(
      "INSERT INTO counted (name) SELECT printf('%.*c', 900000, 'x') FROM json_each('[1,2,3,4,5]')",
    );
    const first = await copy.changes({ id, nowMs: NOW_MS }, 0);
    expect(first).toMatchObject({ after: 2, left: 3 });
    expect(first.rows).toHaveLength(2);
    // The answer may be lost, and the same call gives it again.
    expect(await copy.changes({ id, nowMs: NOW_MS }, 0)).toEqual(first);
  });
});

describe("the state of a copy", () => {
  it("refuses a second copy while one is under way", async () => {
    const database = filledD1();
    await copyOf(database).begin(NOW_MS);
    await expect(copyOf(database).begin(NOW_MS + ABANDONED_MS - 1)).rejects.toMatchObject({
      kind: "CONFLICT",
    });
  });

  it("lets only one of two copies begin that begin at once", async () => {
    const database = filledD1();
    const begun = await Promise.allSettled([
      copyOf(database).begin(NOW_MS),
      copyOf(database).begin(NOW_MS),
    ]);
    expect(begun.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("lets a new copy begin in place of one that was left alone, which is over then", async () => {
    const database = filledD1();
    const { id } = await copyOf(database).begin(NOW_MS);
    const later = NOW_MS + ABANDONED_MS;
    await copyOf(database).begin(later);
    await expect(
      copyOf(database).page({ id, nowMs: later }, { table: "counted" }),
    ).rejects.toMatchObject({ kind: "CONFLICT" });
    expect(database.rows("SELECT count(*) AS copies FROM copy_state")).toEqual([{ copies: 1 }]);
  });

  it("is ended by the sweep ten minutes after the last call, also after the clock has stepped back", async () => {
    const database = filledD1();
    const copy = copyOf(database);
    const { id } = await copy.begin(NOW_MS);
    await copy.changes({ id, nowMs: NOW_MS + 1000 }, 0);
    expect(await copy.endAbandoned(NOW_MS + ABANDONED_MS)).toBe(NOW_MS + 2 * ABANDONED_MS);
    expect(await copy.endAbandoned(NOW_MS - 2 * ABANDONED_MS)).toBeUndefined();
    expect(leftovers(database)).toEqual([]);
    expect(await copy.endAbandoned(NOW_MS)).toBeUndefined();
  });

  it("gives up a copy whose tables have changed", async () => {
    const database = filledD1();
    const copy = copyOf(database);
    const { id } = await copy.begin(NOW_MS);
    database.exec("ALTER TABLE counted ADD COLUMN more TEXT");
    await expect(copyOf(database).end({ id, nowMs: NOW_MS }, 0)).rejects.toThrow(
      "the tables have changed",
    );
    expect(leftovers(database)).toEqual([]);
  });

  it("does not end while many changes are left", async () => {
    const database = filledD1();
    const copy = copyOf(database);
    const { id } = await copy.begin(NOW_MS);
    for (let index = 0; index < 501; index++) database.exec("INSERT INTO counted DEFAULT VALUES");
    expect(await copy.end({ id, nowMs: NOW_MS }, 0)).toBeUndefined();
    const { after } = await copy.changes({ id, nowMs: NOW_MS }, 0);
    expect(await copy.end({ id, nowMs: NOW_MS }, after)).toMatchObject({ rows: [] });
  });

  it("is given up when changes come faster than they are read", async () => {
    const database = filledD1();
    const copy = copyOf(database);
    const { id } = await copy.begin(NOW_MS);
    database.exec("INSERT INTO copy_change (seq, tbl, key) VALUES (1000001, 'counted', '[1]')");
    await expect(copy.changes({ id, nowMs: NOW_MS }, 0)).rejects.toThrow("was given up");
    expect(leftovers(database)).toEqual([]);
  });

  it("leaves nothing behind after a crash at any step, and does not stop writes", async () => {
    for (let step = 1; ; step++) {
      const database = filledD1("INSERT INTO named VALUES ('a', 1, NULL)");
      let steps = 0;
      database.onStep = () => {
        if (++steps === step) throw new Error("the process was killed");
      };
      const outcome = await copyWhole(copyOf(database), () => NOW_MS).catch(
        (error: unknown) => error,
      );
      database.onStep = () => undefined;
      database.exec("UPDATE named SET amount = amount + 1");
      await copyOf(database).endAbandoned(NOW_MS + ABANDONED_MS);
      expect(leftovers(database)).toEqual([]);
      database.exec("UPDATE named SET amount = amount + 1");
      expect(database.rows("SELECT amount FROM named")).toEqual([{ amount: 3 }]);
      await copyWhole(copyOf(database), () => NOW_MS);
      if (!(outcome instanceof Error)) break;
    }
  });
});
