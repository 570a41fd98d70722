import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { LedgerEngine } from "#ledger-engine/engine.ts";
import { migrate, STEP_LAST } from "#ledger-engine/storage/migrations.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import type { Sql, SqlRow, SqlValue } from "#platform/sql/sql.ts";
import { at, create, posting, revert, setMetadata } from "#test/support/ledger-fixtures.ts";
import { audited } from "#test/support/ledger-in-node.ts";
import { expectedRows, storedRows } from "#test/support/ledger-metadata-rows.ts";

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

describe("the third step", () => {
  const LOGS = { countMax: 1000, bytesMax: 10_000_000 };

  /** The ledger of the second step, had it been made with other features. */
  function ledgerWith(features: Record<string, string>) {
    const sql = fileOf(2);
    sql.all("UPDATE ledger SET features = json_patch(features, ?)", JSON.stringify(features));
    const engine = new LedgerEngine(sql, () => at("12:00"));
    return { sql, engine, logs: () => engine.readLogs(0, 1000, LOGS) };
  }

  test("starts from a file with entries of every type and moves of nothing in every role", () => {
    const sql = fileOf(2);
    expect(sql.all("SELECT DISTINCT type FROM log ORDER BY type")).toHaveLength(4);
    migrate(sql);
    expect(sql.all("SELECT DISTINCT role FROM move ORDER BY role")).toEqual(
      [0, 1, 2, 4, 5, 6].map((role) => ({ role })),
    );
  });

  test.each([
    {},
    { TRANSACTION_METADATA_HISTORY: "DISABLED" },
    { ACCOUNT_METADATA_HISTORY: "DISABLED" },
    { TRANSACTION_METADATA_HISTORY: "DISABLED", ACCOUNT_METADATA_HISTORY: "DISABLED" },
  ])("makes the rows that the log leads to, with %o", (features) => {
    const ledger = ledgerWith(features);
    const rows = storedRows(ledger);
    expect(rows).toEqual(expectedRows(ledger.logs(), ledger.engine.info.features));
    expect(rows.tags.length).toBeGreaterThan(10);
    expect(audited(ledger).differences).toEqual([]);
  });

  test("knows when an account was there, among entries of one date too", () => {
    const { history } = storedRows(ledgerWith({}));
    const dated = ledgerWith({}).sql.all<{ id: number; type: number; target: string }>(
      "SELECT id, type, payload ->> 0 AS target FROM log WHERE type = 3 ORDER BY id",
    );
    const noted = dated.map(({ id, target }) => history.includes(`account ${target} ${id}`));
    expect(dated.map(({ target }, index) => `${target} ${noted[index]}`)).toEqual([
      "late false",
      "only true",
      "only true",
      "1 false",
      "1 false",
      "late true",
      "twin false",
      "twin true",
      "twin true",
    ]);
  });
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
