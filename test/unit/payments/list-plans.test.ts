import { beforeAll, describe, expect, test } from "vitest";
import { listAccounts } from "#modules/payments/accounts/list.ts";
import { listBalances } from "#modules/payments/balances/list.ts";
import { listBankAccounts } from "#modules/payments/bank-accounts/list.ts";
import { listConversions } from "#modules/payments/conversions/list.ts";
import { encodeConnectorId, encodeOwnedId, encodePaymentId } from "#modules/payments/core/ids.ts";
import { WORDS } from "#modules/payments/core/payment-terms.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { listInitiationAdjustments } from "#modules/payments/initiations/list-adjustments.ts";
import { listInitiationPayments } from "#modules/payments/initiations/list-payments.ts";
import { listInitiations } from "#modules/payments/initiations/list.ts";
import { listOrders } from "#modules/payments/orders/list.ts";
import { listPayments } from "#modules/payments/payments/list.ts";
import { poolBalances } from "#modules/payments/pools/balances.ts";
import { listPools } from "#modules/payments/pools/list.ts";
import { listLinkAttempts } from "#modules/payments/users/link-attempts.ts";
import { listConnections } from "#modules/payments/users/list-connections.ts";
import { listUsers } from "#modules/payments/users/list.ts";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { fromMillis } from "#platform/time.ts";
import { IngestWorld } from "#test/support/payments/ingest-world.ts";
import { account, balance, payment } from "#test/support/payments/provider-objects.ts";

/**
 * How each list finds its rows: never by all rows of a table, and never by sorting all that it has found. The keys of a page come from
 * the index of the list; its rows are read by these, and only they are sorted.
 */

let world: IngestWorld;
beforeAll(async () => {
  world = new IngestWorld();
  await world.store(await world.prepareAccounts([account("acc")]));
  await world.store(await world.prepareBalances([balance(1n, 0)]));
  await world.store(await world.preparePayments([payment("pay")]));
});

const connector = { provider: "generic", reference: "11111111-2222-4333-8444-555555555555" };
const own = { connector, reference: "acc" };
const ids = {
  id: encodePaymentId({ connector, reference: "pay", type: "PAY-IN" }),
  connector_id: encodeConnectorId(connector),
  account: encodeOwnedId(own),
};

/** The first page, or a later one. */
const queryOf = (where: object | undefined, isLater = false): PageQuery => ({
  kind: "column",
  column: "created_at",
  order: "desc",
  pageSize: 15,
  reverse: false,
  ...(where === undefined ? {} : { where: stringifyJson(where) }),
  ...(isLater ? { start: { value: 1_772_000_000_000_000n, tie: 7n } } : {}),
});

/** What SQLite says of how it reads the table, in one text. */
async function planOf(table: string, list: () => Promise<unknown>): Promise<string> {
  const plans: string[] = [];
  world.d1.onStatement = (text, params) => {
    if (!text.includes(`from "${table}"`)) return;
    const steps = world.d1.rows(`EXPLAIN QUERY PLAN ${text}`, ...params);
    plans.push(...steps.map(({ detail }) => String(detail)));
  };
  await list();
  world.d1.onStatement = () => undefined;
  return plans.filter((step) => step.includes(table) || step.includes("TEMP B-TREE")).join("; ");
}

/** How the keys of a page are found. */
async function keyPlanOf(table: string, list: () => Promise<unknown>): Promise<string> {
  const plan = await planOf(table, list);
  const [byKey, ...steps] = plan.split("; ");
  expect([byKey, steps.pop()]).toEqual([
    `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?)`,
    "USE TEMP B-TREE FOR ORDER BY",
  ]);
  return steps.join("; ");
}

/** What the index has signatures or hashes of: the rows that these fit are read to be sure. */
const SIGNED = new Set(["metadata", "source_account_id", "destination_account_id"]);

const indexOf = (table: string, name: string): string =>
  `${SIGNED.has(name) ? "" : "COVERING "}INDEX ${table}_listed`;

const scanOf = (table: string, name: string): string =>
  `SCAN ${table} USING ${indexOf(table, name)}`;

describe("payments", () => {
  const PAGES: readonly (readonly [string, object | undefined])[] = [
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: ids.connector_id } }],
    ["type", { $match: { type: "PAYOUT" } }],
    ["asset", { $match: { asset: "USD/2" } }],
    ["scheme", { $match: { scheme: "DOKU" } }],
    ["status", { $match: { status: "EXPIRED" } }],
    ["source_account_id", { $match: { source_account_id: ids.account } }],
    ["destination_account_id", { $match: { destination_account_id: ids.account } }],
    ["psu_id", { $match: { psu_id: "x" } }],
    ["open_banking_connection_id", { $match: { open_banking_connection_id: "x" } }],
    ["initial_amount", { $gt: { initial_amount: 5 } }],
    ["amount", { $lte: { amount: -5 } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
    ["several", { $and: [{ $match: { status: "FAILED" } }, { $or: [{ $gt: { amount: 1 } }] }] }],
    ["a negation", { $not: { $match: { connector_id: "none" } } }],
  ];

  test.each(PAGES)("of a filter by %s come from the index of the list", async (name, where) => {
    // So many segments may have payments that fit, whatever the filter is.
    world.d1.exec(`WITH RECURSIVE n(i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
      INSERT OR IGNORE INTO payment_segments SELECT i, ${Array(WORDS).fill("-1").join()} FROM n`);
    const list = (isLater: boolean) => () => listPayments(world.context, queryOf(where, isLater));
    const table = "payment_payments";
    expect(await keyPlanOf(table, list(false))).toBe(scanOf(table, name));
    expect(await keyPlanOf(table, list(true))).toBe(
      `SEARCH ${table} USING ${indexOf(table, name)} (created_at<?)`,
    );
  });

  test("of a filter that few segments fit come from these", async () => {
    world.d1.exec("DELETE FROM payment_segments WHERE segment > 1");
    const list = () => listPayments(world.context, queryOf({ $match: { asset: "EUR/2" } }));
    expect(await keyPlanOf("payment_payments", list)).toBe(
      "SEARCH payment_payments USING INTEGER PRIMARY KEY (rowid=?); SEARCH payment_payments USING INTEGER PRIMARY KEY (rowid>? AND rowid<?); USE TEMP B-TREE FOR ORDER BY",
    );
  });

  test.each([
    ["status", { status: "PENDING" }],
    ["metadata", { "metadata[order]": "1" }],
    ["source_account_id", { source_account_id: ids.account }],
  ])("of a filter by %s that no segment fits are not read", async (_name, match) => {
    world.d1.exec("DELETE FROM payment_segments WHERE segment > 1");
    const list = () => listPayments(world.context, queryOf({ $match: match }));
    expect(await planOf("payment_payments", list)).toBe("");
  });

  test("of an id are found at once", async () => {
    const where = { $match: { id: ids.id } };
    expect(
      await keyPlanOf("payment_payments", () => listPayments(world.context, queryOf(where))),
    ).toBe(
      "SEARCH payment_payments USING INDEX payment_payments_identity (reference=? AND connector_key=? AND type=?)",
    );
  });

  test("of a reference are few, one of each connector and type, and are sorted", async () => {
    const where = { $match: { reference: "pay" } };
    expect(
      await keyPlanOf("payment_payments", () => listPayments(world.context, queryOf(where))),
    ).toBe(
      "SEARCH payment_payments USING INDEX payment_payments_identity (reference=?); USE TEMP B-TREE FOR ORDER BY",
    );
  });
});

describe("accounts", () => {
  test.each([
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: ids.connector_id } }],
    ["type", { $match: { type: "EXTERNAL" } }],
    ["default_asset", { $match: { default_asset: "USD/2" } }],
    ["name", { $gte: { name: "x" } }],
    ["psu_id", { $match: { psu_id: "x" } }],
    ["open_banking_connection_id", { $match: { open_banking_connection_id: "x" } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("of a filter by %s come from the index of the list", async (name, where) => {
    const list = () => listAccounts(world.context, queryOf(where));
    expect(await keyPlanOf("payment_accounts", list)).toBe(scanOf("payment_accounts", name));
  });

  test("of an id are found at once", async () => {
    const where = { $match: { id: ids.account } };
    expect(
      await keyPlanOf("payment_accounts", () => listAccounts(world.context, queryOf(where))),
    ).toBe(
      "SEARCH payment_accounts USING INDEX payment_accounts_identity (reference=? AND connector_key=?)",
    );
  });
});

describe("initiations", () => {
  const plan = (where: object | undefined) =>
    keyPlanOf("payment_initiations", () => listInitiations(world.context, queryOf(where)));

  test.each([
    ["everything", undefined],
    ["type", { $match: { type: "PAYOUT" } }],
    ["asset", { $match: { asset: "USD/2" } }],
    ["amount", { $gt: { amount: 5 } }],
    ["source_account_id", { $match: { source_account_id: ids.account } }],
    ["destination_account_id", { $match: { destination_account_id: ids.account } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
    ["several", { $and: [{ $match: { type: "PAYOUT" } }, { $lte: { amount: 1 } }] }],
    ["status", { $match: { status: "FAILED" } }],
    ["statuses", { $in: { status: ["PROCESSED", "FAILED"] } }],
    ["connector_id", { $match: { connector_id: ids.connector_id } }],
  ])("of a filter by %s come from the index of the list", async (name, where) => {
    expect(await plan(where)).toBe(scanOf("payment_initiations", name));
  });

  test("of an id are found at once", async () => {
    expect(await plan({ $match: { id: ids.account } })).toBe(
      "SEARCH payment_initiations USING INDEX payment_initiations_identity (reference=? AND connector_key=?)",
    );
  });
});

describe("what belongs to an initiation", () => {
  /** What these lists read of it. */
  const initiation = { key: 7 } as Initiation;

  test.each([
    ["everything", undefined],
    ["status", { $match: { status: "FAILED" } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("adjustments of a filter by %s come in the order of the table", async (_name, where) => {
    const table = "payment_initiation_adjustments";
    const query = { ...queryOf(where), column: "key" };
    const list = () => listInitiationAdjustments(world.context, initiation, query);
    expect(await planOf(table, list)).toBe(
      `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)`,
    );
  });

  test("are its payments: few of them are sorted", async () => {
    const list = () => listInitiationPayments(world.context, initiation, queryOf(undefined));
    expect(await planOf("payment_payments", list)).toBe(
      "SEARCH payment_payments USING INTEGER PRIMARY KEY (rowid=?); USE TEMP B-TREE FOR ORDER BY",
    );
  });

  test("are its payments: very many of them are found in the order of the list", async () => {
    world.d1.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i <= 5000)
      INSERT INTO payment_initiation_payments (initiation_key, payment_key, created_at, heard_of, has_news)
      SELECT 7, i, '', 0, 0 FROM n`);
    const list = () => listInitiationPayments(world.context, initiation, queryOf(undefined));
    expect(await planOf("payment_payments", list)).toBe(
      "SCAN payment_payments USING INDEX payment_payments_listed",
    );
    world.d1.exec("DELETE FROM payment_initiation_payments");
  });
});

describe("orders", () => {
  test.each([
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: ids.connector_id } }],
    ["direction", { $match: { direction: "BUY" } }],
    ["source_asset", { $match: { source_asset: "USD/2" } }],
    ["destination_asset", { $like: { destination_asset: "%X%" } }],
    ["type", { $match: { type: "LIMIT" } }],
    ["status", { $match: { status: "FAILED" } }],
    ["time_in_force", { $match: { time_in_force: "FILL_OR_KILL" } }],
    ["base_quantity_ordered", { $gt: { base_quantity_ordered: 5 } }],
    ["base_quantity_filled", { $exists: { base_quantity_filled: false } }],
    ["limit_price", { $gt: { limit_price: 5 } }],
    ["fee", { $gt: { fee: 5 } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("of a filter by %s come from the index of the list", async (name, where) => {
    const list = () => listOrders(world.context, queryOf(where));
    expect(await keyPlanOf("payment_orders", list)).toBe(scanOf("payment_orders", name));
  });
});

describe("conversions", () => {
  test.each([
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: ids.connector_id } }],
    ["source_asset", { $match: { source_asset: "USD/2" } }],
    ["destination_asset", { $match: { destination_asset: "USD/2" } }],
    ["status", { $match: { status: "FAILED" } }],
    ["source_account_id", { $match: { source_account_id: ids.account } }],
    ["destination_account_id", { $match: { destination_account_id: ids.account } }],
    ["source_amount", { $gt: { source_amount: 5 } }],
    ["destination_amount", { $gt: { destination_amount: 5 } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("of a filter by %s come from the index of the list", async (name, where) => {
    const list = () => listConversions(world.context, queryOf(where));
    expect(await keyPlanOf("payment_conversions", list)).toBe(scanOf("payment_conversions", name));
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
  ])("of a filter by %s come from the index of the list", async (_name, where) => {
    const list = () => listUsers(world.context, queryOf(where));
    expect(await planOf("payment_users", list)).toBe(
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
    expect(await keyPlanOf(table, list)).toBe(scanOf(table, name));
  });

  test.each([
    ["everything", undefined],
    ["status", { $match: { status: "ERROR" } }],
    ["connection_id", { $like: { connection_id: "%x%" } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("connections of a filter by %s come from the index of the list", async (name, where) => {
    const table = "payment_user_connections";
    for (const of of [{ userId: user }, { userId: user, connector }]) {
      const list = () => listConnections(world.context, of, queryOf(where));
      expect(await keyPlanOf(table, list)).toBe(
        `SEARCH ${table} USING ${indexOf(table, name)} (user_key=?)`,
      );
    }
  });

  test.each([
    ["everything", undefined],
    ["status", { $match: { status: "exited" } }],
  ])("link attempts of a filter by %s come from the index of the list", async (_name, where) => {
    const scope = { userId: user, connector };
    const list = () => listLinkAttempts(world.context, scope, queryOf(where));
    expect(await keyPlanOf("payment_link_attempts", list)).toBe(
      "SEARCH payment_link_attempts USING COVERING INDEX payment_link_attempts_listed (user_key=? AND connector_key=?)",
    );
  });
});

describe("pools", () => {
  test.each([
    ["everything", undefined],
    ["name", { $like: { name: "%x%" } }],
  ])("of a filter by %s come from the index of the list", async (_name, where) => {
    const list = () => listPools(world.context, queryOf(where));
    expect(await planOf("payment_pools", list)).toBe(
      "SCAN payment_pools USING INDEX payment_pools_listed",
    );
  });
});

describe("balances", () => {
  test.each([
    ["of an account", {}],
    ["of an asset", { asset: "EUR/2" }],
    ["of a time", { from: fromMillis(0), to: fromMillis(1e12) }],
  ])("%s come from the index of the list", async (_name, options) => {
    const query = { ...queryOf(undefined), options };
    const list = () => listBalances(world.context, own, query);
    expect(await keyPlanOf("payment_balances", list)).toMatch(
      /^SEARCH payment_balances USING COVERING INDEX payment_balances_listed \(connector_key=\? AND account_reference=\?(?: AND created_at<\?)?\); SEARCH payment_balances USING (?:COVERING )?INDEX payment_balances_open \(connector_key=\? AND account_reference=\?(?: AND asset=\?)?\)$/,
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
    "SEARCH newest USING COVERING INDEX payment_balances_open (connector_key=? AND account_reference=?)",
    "SEARCH b USING INTEGER PRIMARY KEY (rowid=?)",
    "CORRELATED SCALAR SUBQUERY 2",
    "SEARCH begun USING COVERING INDEX payment_balances_listed (connector_key=? AND account_reference=? AND created_at<?)",
  ]);
});
