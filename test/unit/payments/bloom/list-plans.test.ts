import { beforeAll, describe, expect, test } from "vitest";
import { listBalances } from "#modules/payments/balances/list.ts";
import { listBankAccounts } from "#modules/payments/bank-accounts/list.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { listInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { listInitiations } from "#modules/payments/initiations/list.ts";
import { listInitiationPayments } from "#modules/payments/payments/list-of-initiation.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { listPools } from "#modules/payments/pools/list.ts";
import { listLinkAttempts } from "#modules/payments/users/link-attempts.ts";
import { listConnections } from "#modules/payments/users/list-connections.ts";
import { listUsers } from "#modules/payments/users/list.ts";
import { fromMillis } from "#platform/time.ts";
import {
  CONNECTOR,
  IDS,
  indexOf,
  OWN,
  PlanWorld,
  queryOf,
  scanOf,
} from "#test/support/payments/worlds/plan-world.ts";

/**
 * The plan of each list reads no whole table, and sorts no whole result: the keys of a page come from the index of the list,
 * and only the page's rows are read and sorted.
 */

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.create();
});

describe("initiations", () => {
  const plan = (where: object | undefined) =>
    world.keyPlanOf("payment_initiations", () => listInitiations(world.context, queryOf(where)));

  test.each([
    ["everything", undefined],
    ["type", { $match: { type: "PAYOUT" } }],
    ["asset", { $match: { asset: "USD/2" } }],
    ["amount", { $gt: { amount: 5 } }],
    ["source_account_id", { $match: { source_account_id: IDS.account } }],
    ["destination_account_id", { $match: { destination_account_id: IDS.account } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
    ["several", { $and: [{ $match: { type: "PAYOUT" } }, { $lte: { amount: 1 } }] }],
    ["status", { $match: { status: "FAILED" } }],
    ["statuses", { $in: { status: ["PROCESSED", "FAILED"] } }],
    ["connector_id", { $match: { connector_id: IDS.connector_id } }],
  ])("initiations of a filter by %s come from the index of the list", async (name, where) => {
    expect(await plan(where)).toBe(scanOf("payment_initiations", name));
  });

  test("initiations of an id are found at once", async () => {
    expect(await plan({ $match: { id: IDS.account } })).toBe(
      "SEARCH payment_initiations USING INDEX payment_initiations_identity (reference=? AND connector_key=?)",
    );
  });
});

describe("what belongs to an initiation", () => {
  /** The members of an initiation that these lists read. */
  const initiation = { key: 7 } as Initiation;

  test.each([
    ["everything", undefined],
    ["status", { $match: { status: "FAILED" } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("adjustments of a filter by %s come in the order of the table", async (_name, where) => {
    const table = "payment_initiation_adjustments";
    const query = { ...queryOf(where), column: "key" };
    const list = () => listInitiationAdjustments(world.context, initiation, query);
    expect(await world.planOf(table, list)).toBe(
      `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)`,
    );
  });

  test("payments of an initiation are sorted where they are few", async () => {
    const list = () => listInitiationPayments(world.context, initiation, queryOf(undefined));
    expect(await world.planOf("payment_payments", list)).toBe(
      "SEARCH payment_payments USING INTEGER PRIMARY KEY (rowid=?); USE TEMP B-TREE FOR ORDER BY",
    );
  });

  test("very many payments of an initiation are found in the order of the list", async () => {
    world.d1.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 5000)
      INSERT INTO payment_initiation_payments (initiation_key, payment_key, created_at, heard_of, has_news)
      SELECT 7, i, '', 0, 0 FROM n`);
    const list = () => listInitiationPayments(world.context, initiation, queryOf(undefined));
    expect(await world.planOf("payment_payments", list)).toBe(
      "SCAN payment_payments USING INDEX payment_payments_listed",
    );
    world.d1.exec("DELETE FROM payment_initiation_payments");
  });
});

describe("users, and what they have", () => {
  const user = "11111111-0000-4000-8000-000000000000";
  beforeAll(() => {
    world.d1.rows(
      "INSERT INTO payment_users (id, name, metadata, metadata_bits, created_at) VALUES (?, '', '{}', 0, ?)",
      user,
      fromMillis(0),
    );
  });

  test.each([
    ["everything", undefined],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("users of a filter by %s come from the index of the list", async (_name, where) => {
    const list = () => listUsers(world.context, queryOf(where));
    expect(await world.planOf("payment_users", list)).toBe(
      "SCAN payment_users USING INDEX payment_users_listed",
    );
  });

  test.each([
    ["everything", undefined],
    ["name", { $like: { name: "%x%" } }],
    ["country", { $match: { country: "DE" } }],
    ["no country", { $exists: { country: false } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("bank accounts of a filter by %s come from the index of the list", async (name, where) => {
    const list = () => listBankAccounts(world.context, queryOf(where));
    const table = "payment_bank_accounts";
    expect(await world.keyPlanOf(table, list)).toBe(scanOf(table, name));
  });

  test.each([
    ["everything", undefined],
    ["status", { $match: { status: "ERROR" } }],
    ["connection_id", { $like: { connection_id: "%x%" } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("connections of a filter by %s come from the index of the list", async (name, where) => {
    const table = "payment_user_connections";
    for (const of of [{ userId: user }, { userId: user, connector: CONNECTOR }]) {
      const list = () => listConnections(world.context, of, queryOf(where));
      expect(await world.keyPlanOf(table, list)).toBe(
        `SEARCH ${table} USING ${indexOf(table, name)} (user_key=?)`,
      );
    }
  });

  test.each([
    ["everything", undefined],
    ["status", { $match: { status: "exited" } }],
  ])("link attempts of a filter by %s come from the index of the list", async (_name, where) => {
    const scope = { userId: user, connector: CONNECTOR };
    const list = () => listLinkAttempts(world.context, scope, queryOf(where));
    expect(await world.keyPlanOf("payment_link_attempts", list)).toBe(
      "SEARCH payment_link_attempts USING COVERING INDEX payment_link_attempts_listed (user_key=? AND connector_key=?)",
    );
  });
});

describe("pools", () => {
  test.each([
    ["everything", undefined],
    ["name", { $like: { name: "%x%" } }],
  ])("pools of a filter by %s come from the index of the list", async (_name, where) => {
    const list = () => listPools(world.context, queryOf(where));
    expect(await world.planOf("payment_pools", list)).toBe(
      "SCAN payment_pools USING INDEX payment_pools_listed",
    );
  });
});

describe("balances", () => {
  test.each([
    ["of an account", {}],
    ["of an asset", { asset: "EUR/2" }],
    ["of a time", { from: fromMillis(0), to: fromMillis(1e12) }],
  ])("balances %s come from the index of the list", async (_name, options) => {
    const query = { ...queryOf(undefined), options };
    const list = () => listBalances(world.context, OWN, query);
    expect(await world.keyPlanOf("payment_balances", list)).toMatch(
      /^SEARCH payment_balances USING COVERING INDEX payment_balances_listed \(connector_key=\? AND account_reference=\?(?: AND created_at<\?)?\); SEARCH payment_balances USING (?:COVERING )?INDEX payment_balances_open \(connector_key=\? AND account_reference=\?(?: AND asset=\?)?\)(?:; SEARCH payment_balances USING INDEX payment_balances_open \(connector_key=\? AND account_reference=\?\)){0,2}$/,
    );
  });
});

test("balances of a pool at a moment begin with the last one of each asset before it", async () => {
  const poolId = "11111111-0000-4000-8000-000000000001";
  world.d1.rows(
    "INSERT INTO payment_pools (id, name, type, created_at, change_id) VALUES (?, '', 'STATIC', '', '')",
    poolId,
  );
  const plans: string[] = [];
  world.d1.onStatement = (text, params) => {
    if (!text.includes('"payment_balances"')) return;
    const steps = world.d1.rows(`EXPLAIN QUERY PLAN ${text}`, ...params);
    plans.push(...steps.map(({ detail }) => String(detail)));
  };
  await poolBalances(world.context, { poolId, at: fromMillis(0) });
  world.d1.onStatement = () => undefined;
  expect(plans).toEqual([
    expect.stringContaining("SEARCH m USING"),
    "SEARCH newest USING INDEX payment_balances_open (connector_key=? AND account_reference=?)",
    "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
    "CORRELATED SCALAR SUBQUERY 2",
    "SEARCH begun USING COVERING INDEX payment_balances_listed (connector_key=? AND account_reference=? AND created_at<?)",
    // The subquery finds when an open balance was confirmed.
    "CORRELATED SCALAR SUBQUERY 3",
    "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
    "CORRELATED SCALAR SUBQUERY 4",
    "SEARCH s USING INDEX payment_schedules_of_connector (connector_key=?)",
  ]);
});
