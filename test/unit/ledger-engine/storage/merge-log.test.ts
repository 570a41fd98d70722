import { expect, test } from "vitest";
import { migrate, migrateSlice, migrateToEnd } from "#ledger-engine/storage/migrations.ts";
import { STEPS } from "#ledger-engine/storage/tables.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";
import {
  at,
  create,
  deleteMetadata,
  insertSchema,
  posting,
  revert,
  setMetadata,
  TestLedger,
} from "#test/support/ledger-engine/fixtures.ts";
import { audited } from "#test/support/ledger-engine/in-node.ts";
import { toFirstStep } from "#test/support/ledger-engine/migration/first-step.ts";

const ENTRIES = 4500;

/** A ledger with gaps between ids, entries of all types, and every column of a transaction in use. */
function filledLedger(): TestLedger {
  const ledger = new TestLedger();
  const accountMetadata = { a: { tier: "gold" }, other: { k: "v" } };
  ledger.commit(create(posting("world -> a", 100), { reference: "r1", accountMetadata }), {
    key: "k1",
  });
  ledger.run(setMetadata(1, { k: "v" }), { key: "k2" });
  ledger.run(create(posting("world -> a", 1)), { dryRun: true });
  ledger.commit(create(posting("a -> b", 5), { timestamp: at("06:00"), metadata: { x: "y" } }));
  ledger.run(insertSchema("v1", { chart: { world: {} } }));
  ledger.commit(revert(3));
  ledger.run(setMetadata("a", { tier: "silver" }));
  ledger.run(deleteMetadata("a", "tier"));
  for (let done = 0; done < ENTRIES; done += 500) {
    ledger.bulk(
      Array.from({ length: 500 }, (_, index) =>
        index % 7 === 0
          ? setMetadata(`n${index}`, { k: `${done}` })
          : create(posting("world -> a", 1)),
      ),
    );
  }
  return ledger;
}

/** An SQL interface that fails after `left` statements, as in a crash. */
class FailingSql implements Sql {
  readonly #sql: Sql;
  left: number;

  constructor(sql: Sql, left: number) {
    this.#sql = sql;
    this.left = left;
  }

  all<Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] {
    if (this.left-- <= 0) throw new Error("cut off");
    return this.#sql.all<Row>(statement, ...bindings);
  }

  transaction<T>(work: () => T): T {
    return this.#sql.transaction(work);
  }
}

test("a ledger whose log was a table of its own is brought over, slice by slice", () => {
  const ledger = filledLedger();
  const before = ledger.dump();
  toFirstStep(ledger.sql);
  const states = [migrate(ledger.sql)];
  while (states.at(-1) !== "current") states.push(migrateSlice(ledger.sql));
  expect(states.length).toBeGreaterThan(4);
  expect(new Set(states.slice(0, -1))).toEqual(new Set(["closed"]));
  ledger.open();
  expect(ledger.dump()).toBe(before);
  expect(audited(ledger)).toMatchObject({ status: "consistent", differences: [] });
  expect(ledger.commit(create(posting("a -> b", 1))).id).toBeGreaterThan(1000);
});

test("a crash at any statement of the step neither loses nor repeats a row", () => {
  const ledger = filledLedger();
  const before = ledger.dump();
  toFirstStep(ledger.sql);
  const { sql } = ledger;
  // Repeats work with a crash at each statement, until an attempt succeeds.
  const done = (work: (failing: Sql) => string): string => {
    for (let left = 1; ; left++) {
      try {
        return work(new FailingSql(sql, left));
      } catch (error) {
        if (!(error instanceof Error) || error.message !== "cut off") throw error;
      }
    }
  };
  let state = done(migrate);
  while (state !== "current") state = done(migrateSlice);
  expect(ledger.dump()).toBe(before);
});

test("an entry whose row of the old table of transactions is missing is not lost", () => {
  const ledger = filledLedger();
  const ids = ledger.logs().map(({ id }) => id);
  toFirstStep(ledger.sql);
  ledger.sql.all("DELETE FROM tx WHERE id = 3");
  migrateToEnd(ledger.sql);
  ledger.open();
  expect(ledger.logs().map(({ id }) => id)).toEqual(ids);
  const { differences } = audited(ledger);
  expect(differences.map(({ table, key, column }) => `${table} ${key} ${column}`)).toEqual([
    "tx 3 timestamp",
    "tx 3 updated_at",
    "tx 3 reverted_at",
  ]);
});

test("a slice moves a bounded amount of metadata that transactions were given later", () => {
  const ledger = new TestLedger();
  const metadata = { k: "x".repeat(60_000) };
  ledger.bulk(Array.from({ length: 100 }, () => create(posting("world -> a", 1))));
  ledger.bulk(Array.from({ length: 100 }, (_, index) => setMetadata(index + 1, metadata)));
  const before = ledger.dump();
  const { sql } = ledger;
  toFirstStep(sql);
  const moved: number[] = [];
  for (let state = migrate(sql); state !== "current"; state = migrateSlice(sql)) {
    const [row] = sql.all<{ bytes: number }>(
      "SELECT coalesce(sum(octet_length(metadata)), 0) AS bytes FROM tx",
    );
    moved.push(row?.bytes ?? 0);
  }
  const slices = moved.map((bytes, index) => bytes - (moved[index - 1] ?? 0));
  expect(Math.max(...slices)).toBeLessThan(2_100_000);
  expect(ledger.dump()).toBe(before);
});

test("a new ledger has the tables that the steps lead to", () => {
  const [fresh, stepped] = [new NodeSql(), new NodeSql()];
  migrateToEnd(fresh);
  migrateToEnd(
    stepped,
    STEPS.map(({ name, statements, rows }) => ({
      name,
      statements,
      ...(rows === undefined ? {} : { rows }),
    })),
  );
  expect(schemaOf(fresh)).toEqual(schemaOf(stepped));
});

/** The columns of all tables, and the statements of all indexes. */
function schemaOf(sql: Sql): unknown {
  const tables = sql.all<{ name: string }>(
    "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
  );
  const columns = tables.map(({ name }) => [
    name,
    sql.all("SELECT * FROM pragma_table_xinfo(?)", name),
  ]);
  const indexes = sql.all(
    "SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name",
  );
  return { columns, indexes };
}
