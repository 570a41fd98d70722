import { describe, expect, test } from "vitest";
import {
  isCreated,
  isCurrent,
  migrate,
  migrateSlice,
  migrateToEnd,
  readMigrations,
  STEP_LAST,
} from "#ledger-engine/storage/migrations.ts";
import { STEPS } from "#ledger-engine/storage/tables.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";
import type { Step } from "#platform/sql/step.ts";
import { create, posting, refusalOf, TestLedger } from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import {
  cursorOf,
  missed,
  slicesOf,
  stepsWith,
  visited,
} from "#test/support/ledger-engine/migration/made-up-step.ts";

/** A database on which statements with a given beginning fail, as in a crash. */
const failingAt = (sql: Sql, beginning: string): Sql => ({
  all: <Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] => {
    if (statement.startsWith(beginning)) throw new Error("cut off");
    return sql.all<Row>(statement, ...bindings);
  },
  transaction: (work) => sql.transaction(work),
});

const pay = () => create([posting("world -> a", 1)]);

function ledgerOf(transactions: number): TestLedger {
  const ledger = new TestLedger();
  for (let done = 0; done < transactions; done += 500) {
    ledger.bulk(Array.from({ length: Math.min(500, transactions - done) }, pay));
  }
  return ledger;
}

describe("quick steps", () => {
  test("quick steps that were cut off are done again", () => {
    const sql = new NodeSql();
    expect(() => migrate(failingAt(sql, "INSERT INTO migration"))).toThrow("cut off");
    expect(isCreated(sql)).toBe(false);
    migrateToEnd(sql);
    expect(sql.all("SELECT step, cursor FROM migration")).toEqual(
      STEPS.map((_, index) => ({ step: index + 1, cursor: null })),
    );
  });

  test("quick steps of a later version make this one refuse the ledger and say why", () => {
    const sql = new NodeSql();
    migrateToEnd(sql);
    sql.all("INSERT INTO migration (step, cursor) VALUES (?, '7')", STEP_LAST + 1);
    expect(refusalOf(() => migrate(sql))).toBe("OVERLOADED");
    expect(() => migrate(sql)).toThrow(
      `the ledger was written by a later version: its tables are at step ${STEP_LAST + 1}, and this version knows only ${STEP_LAST}`,
    );
    expect(() => migrateSlice(sql)).toThrow("by a later version");
    expect(isCurrent(sql)).toBe(false);
    expect(cursorOf(sql)).toBe("7");
    expect(readMigrations(sql).at(-1)).toEqual({
      version: `${STEP_LAST + 1}`,
      name: "A step of a later version",
      state: "PROGRESS",
    });
  });

  test("quick steps of a later version that only add leave the ledger to this one, and to the later one again", () => {
    const sql = new NodeSql();
    migrateToEnd(sql);
    const addition: Step = {
      name: "a note",
      statements: ["CREATE TABLE note (id INTEGER PRIMARY KEY) STRICT"],
      isAddition: true,
    };
    const later = [...STEPS, addition, { ...addition, statements: [], name: "another one" }];
    expect(migrate(sql, later)).toBe("current");
    expect(migrate(sql)).toBe("current");
    expect(migrateSlice(sql)).toBe("current");
    expect(isCurrent(sql)).toBe(true);
    expect(readMigrations(sql).map(({ state }) => state)).toEqual(later.map(() => "DONE"));
    expect(migrate(sql, later)).toBe("current");
    const more = [...later, { name: "no note", statements: ["DROP TABLE note"] }];
    expect(migrate(sql, more)).toBe("current");
    expect(() => migrate(sql)).toThrow("by a later version");
    expect(() => migrate(sql, later)).toThrow("by a later version");
  });

  test("quick steps of a later version that only add are noted in a ledger of before, too", () => {
    const sql = new NodeSql();
    migrateToEnd(sql);
    sql.all("ALTER TABLE migration DROP COLUMN needs");
    expect(isCurrent(sql)).toBe(true);
    const later: Step[] = [...STEPS, { name: "nothing", statements: [], isAddition: true }];
    expect(migrate(sql, later)).toBe("current");
    expect(migrate(sql)).toBe("current");
  });
});

describe("a step that visits every transaction", () => {
  const ROWS = 300;
  /** The number of transactions, for three full slices and a smaller one. */
  const SIZE = 1000;
  const SERVED = stepsWith({ rowsPerSlice: ROWS, isServedMeanwhile: true });
  const CLOSED = stepsWith({ rowsPerSlice: ROWS, isServedMeanwhile: false });

  test("a step that visits every transaction does so in bounded slices, and goes on where it was killed", () => {
    const size = 5000;
    const { sql } = ledgerOf(size);
    expect(migrate(sql, SERVED)).toBe("served");
    let kills = 0;
    for (let before = 0, state = "served"; state !== "current"; before = visited(sql)) {
      if (before === 900 || before === 2700 || before === 4800) {
        // The crash comes in the middle of a slice: its rows are written, but its end is not stored.
        expect(() => migrateSlice(failingAt(sql, "UPDATE migration"), SERVED)).toThrow("cut off");
        expect([visited(sql), cursorOf(sql)]).toEqual([before, `${before}`]);
        expect(migrate(sql, SERVED)).toBe("served");
        kills++;
      }
      state = migrateSlice(sql, SERVED);
      expect(visited(sql) - before).toBe(Math.min(ROWS, size - before));
    }
    expect([kills, visited(sql), missed(sql), isCurrent(sql, SERVED)]).toEqual([3, size, 0, true]);
    expect(migrate(sql, SERVED)).toBe("current");
    expect(visited(sql)).toBe(size);
  });

  test("a step that visits every transaction lets the ledger be read and written between its slices if it allows that", () => {
    const ledger = ledgerOf(SIZE);
    let slices = 0;
    for (const state of slicesOf(ledger.sql, SERVED)) {
      if (state === "current") break;
      ledger.engine.forgetRows();
      expect(state).toBe("served");
      expect(ledger.commit(pay()).id).toBe(SIZE + ++slices);
      expect(ledger.volumes("a")["USD"]).toBe(`${SIZE + slices}/0`);
      // An object is opened again after an eviction.
      if (slices % 2 === 0) ledger.open();
    }
    expect(slices).toBeGreaterThanOrEqual(3);
    expect([visited(ledger.sql), missed(ledger.sql)]).toEqual([SIZE + slices, 0]);
    const { engine, sql } = ledger;
    sql.all("DELETE FROM migration WHERE step > ?", STEP_LAST); // the copy of the audit does not have the made-up step
    expect(audited({ sql, engine }).differences).toEqual([]);
  });

  test("a step that visits every transaction keeps the ledger closed if it has to", () => {
    const { sql } = ledgerOf(SIZE);
    const states = [...slicesOf(sql, CLOSED)];
    expect(states.slice(0, -1)).toEqual(["closed", "closed", "closed"]);
    expect(states.at(-1)).toBe("current");
    expect(missed(sql)).toBe(0);
  });

  test("a step that visits every transaction is listed with its state", () => {
    const { sql } = ledgerOf(SIZE);
    const statesOf = () => readMigrations(sql, SERVED).map(({ state }) => state);
    const done = STEPS.map(() => "DONE");
    expect(statesOf()).toEqual([...done, "TO DO"]);
    migrate(sql, SERVED);
    expect(statesOf()).toEqual([...done, "PROGRESS"]);
    migrateToEnd(sql, SERVED);
    expect(statesOf()).toEqual([...done, "DONE"]);
  });

  test("a step that visits every transaction closes the ledger, even if it allows reads, when another step follows it", () => {
    const { sql } = ledgerOf(SIZE);
    const last: Step = { name: "Last", statements: ["CREATE TABLE last (id INTEGER) STRICT"] };
    const steps = [...SERVED, last];
    const states: string[] = [];
    for (const state of slicesOf(sql, steps)) {
      states.push(state);
      const [table] = sql.all("SELECT 1 FROM sqlite_master WHERE name = 'last'");
      expect(table !== undefined).toBe(state === "current");
    }
    expect(new Set(states)).toEqual(new Set(["closed", "current"]));
    expect([visited(sql), missed(sql)]).toEqual([SIZE, 0]);
  });

  test("a step that visits every transaction is done in a new ledger at once", () => {
    const sql = new NodeSql();
    sql.transaction(() => migrateToEnd(sql, CLOSED));
    expect(isCurrent(sql, CLOSED)).toBe(true);
  });

  test("a step over transactions that does not advance is stopped", () => {
    const { sql } = ledgerOf(1);
    const rows = { isServedMeanwhile: true, slice: (_: Sql, cursor: string) => cursor };
    const steps = [...STEPS, { name: "Nowhere", statements: [], rows }];
    expect(() => migrateToEnd(sql, steps)).toThrow("a slice works on rows behind its cursor");
  });
});
