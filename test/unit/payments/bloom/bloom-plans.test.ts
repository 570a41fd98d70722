import { beforeAll, describe, expect, test } from "vitest";
import { listAccounts } from "#modules/payments/accounts/list.ts";
import { prepareConversions } from "#modules/payments/conversions/ingestion.ts";
import { listConversions } from "#modules/payments/conversions/list.ts";
import { ACCOUNT_LAYOUT } from "#modules/payments/core/bloom/account-layout.ts";
import { PAYMENT_LAYOUT } from "#modules/payments/core/bloom/payment-layout.ts";
import { CONVERSION_LAYOUT, ORDER_LAYOUT } from "#modules/payments/core/bloom/trade-layouts.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { prepareOrders } from "#modules/payments/orders/ingestion.ts";
import { listOrders } from "#modules/payments/orders/list.ts";
import { listPayments } from "#modules/payments/payments/list.ts";
import { conversion, order } from "#test/support/payments/provider-orders.ts";
import {
  CONNECTOR,
  IDS,
  indexOf,
  PlanWorld,
  queryOf,
  scanOf,
} from "#test/support/payments/worlds/plan-world.ts";

/**
 * Plans of lists of tables with a Bloom index: a filter that finds few blocks reads these blocks, and any other filter reads
 * the index of the list.
 */

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.create();
  const { context, connector } = world;
  await world.store(await prepareOrders(context, { connector, orders: [order()] }));
  await world.store(await prepareConversions(context, { connector, conversions: [conversion()] }));
});

/** The plan of a page that comes from few blocks, whose rows are sorted. */
const blockPlanOf = (table: string): string =>
  `SEARCH ${table} USING INTEGER PRIMARY KEY (rowid=?); SEARCH ${table} USING INTEGER PRIMARY KEY (rowid>? AND rowid<?); USE TEMP B-TREE FOR ORDER BY`;

describe("payments", () => {
  const PAGES: readonly (readonly [string, object | undefined])[] = [
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: IDS.connector_id } }],
    ["type", { $match: { type: "PAYOUT" } }],
    ["asset", { $match: { asset: "USD/2" } }],
    ["scheme", { $match: { scheme: "DOKU" } }],
    ["status", { $match: { status: "EXPIRED" } }],
    ["source_account_id", { $match: { source_account_id: IDS.account } }],
    ["destination_account_id", { $match: { destination_account_id: IDS.account } }],
    ["psu_id", { $match: { psu_id: "x" } }],
    ["open_banking_connection_id", { $match: { open_banking_connection_id: "x" } }],
    ["initial_amount", { $gt: { initial_amount: 5 } }],
    ["amount", { $lte: { amount: -5 } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
    ["several", { $and: [{ $match: { status: "FAILED" } }, { $or: [{ $gt: { amount: 1 } }] }] }],
    ["a negation", { $not: { $match: { connector_id: "none" } } }],
  ];

  test.each(PAGES)(
    "payments of a filter by %s come from the index of the list",
    async (name, where) => {
      world.addFullBlocks("payment_segments", PAYMENT_LAYOUT);
      const list = (isLater: boolean) => () => listPayments(world.context, queryOf(where, isLater));
      const table = "payment_payments";
      expect(await world.keyPlanOf(table, list(false))).toBe(scanOf(table, name));
      expect(await world.keyPlanOf(table, list(true))).toBe(
        `SEARCH ${table} USING ${indexOf(table, name)} (created_at<?)`,
      );
    },
  );

  test("payments of a filter that finds few blocks come from these blocks", async () => {
    world.removeFullBlocks("payment_segments");
    const list = () => listPayments(world.context, queryOf({ $match: { asset: "EUR/2" } }));
    expect(await world.keyPlanOf("payment_payments", list)).toBe(blockPlanOf("payment_payments"));
  });

  test.each([
    ["status", { status: "PENDING" }],
    ["metadata", { "metadata[order]": "1" }],
    ["source_account_id", { source_account_id: IDS.account }],
  ])("payments of a filter by %s that finds no block are not read", async (_name, match) => {
    world.removeFullBlocks("payment_segments");
    const list = () => listPayments(world.context, queryOf({ $match: match }));
    expect(await world.planOf("payment_payments", list)).toBe("");
  });

  test("payments of an id are found at once", async () => {
    const where = { $match: { id: IDS.id } };
    expect(
      await world.keyPlanOf("payment_payments", () => listPayments(world.context, queryOf(where))),
    ).toBe(
      "SEARCH payment_payments USING INDEX payment_payments_identity (reference=? AND connector_key=? AND type=?)",
    );
  });

  test("payments of a reference are few, one of each connector and type, and are sorted", async () => {
    const where = { $match: { reference: "pay" } };
    expect(
      await world.keyPlanOf("payment_payments", () => listPayments(world.context, queryOf(where))),
    ).toBe(
      "SEARCH payment_payments USING INDEX payment_payments_identity (reference=?); USE TEMP B-TREE FOR ORDER BY",
    );
  });
});

describe("accounts", () => {
  test.each([
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: IDS.connector_id } }],
    ["type", { $match: { type: "EXTERNAL" } }],
    ["default_asset", { $match: { default_asset: "USD/2" } }],
    ["name", { $gte: { name: "x" } }],
    ["psu_id", { $match: { psu_id: "x" } }],
    ["open_banking_connection_id", { $match: { open_banking_connection_id: "x" } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("accounts of a filter by %s come from the index of the list", async (name, where) => {
    world.addFullBlocks("payment_account_segments", ACCOUNT_LAYOUT);
    const list = () => listAccounts(world.context, queryOf(where));
    expect(await world.keyPlanOf("payment_accounts", list)).toBe(scanOf("payment_accounts", name));
  });

  test("accounts of a filter that finds few blocks come from these blocks", async () => {
    world.removeFullBlocks("payment_account_segments");
    const list = () => listAccounts(world.context, queryOf({ $match: { type: "INTERNAL" } }));
    expect(await world.keyPlanOf("payment_accounts", list)).toBe(blockPlanOf("payment_accounts"));
  });

  test.each([
    [
      "connector_id",
      {
        connector_id: encodeConnectorId({
          ...CONNECTOR,
          reference: "22222222-0000-4000-8000-000000000000",
        }),
      },
    ],
    ["type", { type: "EXTERNAL" }],
    ["default_asset", { default_asset: "CHF/2" }],
    ["name", { name: "x" }],
    ["metadata", { "metadata[order]": "1" }],
  ])("accounts of a filter by %s that finds no block are not read", async (_name, match) => {
    world.removeFullBlocks("payment_account_segments");
    const list = () => listAccounts(world.context, queryOf({ $match: match }));
    expect(await world.planOf("payment_accounts", list)).toBe("");
  });

  test("accounts of an id are found at once", async () => {
    const where = { $match: { id: IDS.account } };
    expect(
      await world.keyPlanOf("payment_accounts", () => listAccounts(world.context, queryOf(where))),
    ).toBe(
      "SEARCH payment_accounts USING INDEX payment_accounts_identity (reference=? AND connector_key=?)",
    );
  });
});

describe("orders", () => {
  test.each([
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: IDS.connector_id } }],
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
  ])("orders of a filter by %s come from the index of the list", async (name, where) => {
    world.addFullBlocks("payment_order_segments", ORDER_LAYOUT);
    const list = () => listOrders(world.context, queryOf(where));
    expect(await world.keyPlanOf("payment_orders", list)).toBe(scanOf("payment_orders", name));
  });

  test("orders of a filter that finds few blocks come from these blocks", async () => {
    world.removeFullBlocks("payment_order_segments");
    const list = () => listOrders(world.context, queryOf({ $match: { source_asset: "EUR/2" } }));
    expect(await world.keyPlanOf("payment_orders", list)).toBe(blockPlanOf("payment_orders"));
  });

  test("orders of a filter that finds no block are not read", async () => {
    world.removeFullBlocks("payment_order_segments");
    const list = () => listOrders(world.context, queryOf({ $match: { status: "FAILED" } }));
    expect(await world.planOf("payment_orders", list)).toBe("");
  });
});

describe("conversions", () => {
  test.each([
    ["everything", undefined],
    ["connector_id", { $match: { connector_id: IDS.connector_id } }],
    ["source_asset", { $match: { source_asset: "USD/2" } }],
    ["destination_asset", { $match: { destination_asset: "USD/2" } }],
    ["status", { $match: { status: "FAILED" } }],
    ["source_account_id", { $match: { source_account_id: IDS.account } }],
    ["destination_account_id", { $match: { destination_account_id: IDS.account } }],
    ["source_amount", { $gt: { source_amount: 5 } }],
    ["destination_amount", { $gt: { destination_amount: 5 } }],
    ["metadata", { $match: { "metadata[order]": "42" } }],
  ])("conversions of a filter by %s come from the index of the list", async (name, where) => {
    world.addFullBlocks("payment_conversion_segments", CONVERSION_LAYOUT);
    const list = () => listConversions(world.context, queryOf(where));
    expect(await world.keyPlanOf("payment_conversions", list)).toBe(
      scanOf("payment_conversions", name),
    );
  });

  test("conversions of a filter that finds few blocks come from these blocks", async () => {
    world.removeFullBlocks("payment_conversion_segments");
    const list = () =>
      listConversions(world.context, queryOf({ $match: { source_asset: "EUR/2" } }));
    expect(await world.keyPlanOf("payment_conversions", list)).toBe(
      blockPlanOf("payment_conversions"),
    );
  });

  test("conversions of a filter that finds no block are not read", async () => {
    world.removeFullBlocks("payment_conversion_segments");
    const list = () => listConversions(world.context, queryOf({ $match: { status: "FAILED" } }));
    expect(await world.planOf("payment_conversions", list)).toBe("");
  });
});
