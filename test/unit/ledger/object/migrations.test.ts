import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { LedgerEngine } from "../../../../src/modules/ledger/object/engine.ts";
import { migrate, STEP_LAST } from "../../../../src/modules/ledger/object/migrations.ts";
import { NodeSql } from "../../../../src/modules/ledger/object/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "../../../../src/modules/ledger/object/sql.ts";
import { at, create, posting, revert, setMetadata } from "../../../support/ledger-fixtures.ts";
import { audited } from "../../../support/ledger-in-node.ts";

/** Ledgers as the code of each earlier step has left them, as SQL. */
const FILES = resolve(import.meta.dirname, "../../../fixtures/ledger-steps");
const STEPS = readdirSync(FILES).map((name) => Number.parseInt(name, 10));

const fileOf = (step: number): NodeSql => {
  const sql = new NodeSql();
  for (const statement of readFileSync(resolve(FILES, `${step}.sql`), "utf8").split(";\n")) {
    if (statement.trim() !== "") sql.all(statement);
  }
  return sql;
};

test("there is a file of each step but the last", () => {
  expect(STEPS.toSorted((a, b) => a - b)).toEqual(
    Array.from({ length: STEP_LAST - 1 }, (_, index) => index + 1),
  );
});

test.each(STEPS)("a ledger of step %i is brought up to date and goes on", (step) => {
  const sql = fileOf(step);
  expect(sql.all("SELECT max(step) AS step FROM migration")).toEqual([{ step }]);
  const before = sql.all("SELECT id, payload, hex(hash) AS hash FROM log");

  const engine = new LedgerEngine(sql, () => at("12:00"));

  expect(sql.all("SELECT max(step) AS step FROM migration")).toEqual([{ step: STEP_LAST }]);
  expect(sql.all("SELECT id, payload, hex(hash) AS hash FROM log")).toEqual(before);
  const none = { idempotencyKey: "", dryRun: false };
  const replay = engine.execute(
    create([posting("world -> a", 10n ** 30n), posting("a -> b", 7)], {
      reference: "r1",
      metadata: { k: "v" },
      accountMetadata: { a: { tier: "gold" }, only: { x: "y" } },
    }),
    { idempotencyKey: "k1", dryRun: false },
  );
  expect(replay).toMatchObject({ logId: 1, isReplay: true });
  engine.execute(create(posting("a -> e", 1), { timestamp: at("08:30") }), none);
  engine.execute(setMetadata("a", { x: "1" }), { idempotencyKey: "k3", dryRun: false });
  engine.execute(revert(1, { force: true }), none);
  expect(audited({ sql, engine }).differences).toEqual([]);
});

test("a migration that was cut off is done again", () => {
  const sql = new NodeSql();
  migrate(sql, 1);
  const failing: Sql = {
    all: <Row extends SqlRow>(statement: string, ...bindings: readonly SqlValue[]): Row[] => {
      if (statement.startsWith("INSERT INTO migration")) throw new Error("cut off");
      return sql.all<Row>(statement, ...bindings);
    },
    transaction: (work) => sql.transaction(work),
  };
  expect(() => migrate(failing)).toThrow("cut off");
  expect(sql.all("SELECT max(step) AS step FROM migration")).toEqual([{ step: 1 }]);
  migrate(sql);
  expect(sql.all("SELECT max(step) AS step FROM migration")).toEqual([{ step: STEP_LAST }]);
});
