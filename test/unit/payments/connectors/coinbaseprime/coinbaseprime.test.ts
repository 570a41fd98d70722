import { describe, expect, test } from "vitest";
import { coinbaseprimeKind } from "#modules/payments/connectors/coinbaseprime/index.ts";
import {
  STATUSES,
  TYPES as ORDER_TYPES,
} from "#modules/payments/connectors/coinbaseprime/orders.ts";
import {
  FINAL_STATUSES,
  OPEN_STATUSES,
  TYPES,
} from "#modules/payments/connectors/coinbaseprime/transactions.ts";
import { conversionProblem, orderProblem } from "#modules/payments/connectors/provider-orders.ts";
import { connectorConformance } from "#test/support/payments/conformance/index.ts";
import { many } from "#test/support/payments/conformance/orders.ts";
import { openBench } from "#test/support/payments/conformance/subject.ts";
import { fetchAll, NOW } from "#test/support/payments/plugins.ts";
import {
  COINBASE_PRIME_CONFIG,
  FakeCoinbasePrime,
  problem,
} from "#test/support/psp/coinbaseprime.ts";

const parent = { reference: "wallet-1", createdAt: NOW, metadata: {}, raw: "{}" };
const conversion = { type: "CONVERSION", symbol: "USD", destination_symbol: "USDC" };

const subject = {
  kind: coinbaseprimeKind,
  psp: () => new FakeCoinbasePrime(),
  config: COINBASE_PRIME_CONFIG,
  lists: [
    { task: "FETCH_ACCOUNTS", add: (psp, count) => many(count, () => psp.addWallet()) },
    {
      task: "FETCH_BALANCES",
      parent: () => ({ parent }),
      max: 1,
      add: (psp, count) => many(count, () => `${psp.addWallet()} BTC/8`),
    },
    { task: "FETCH_PAYMENTS", add: (psp, count) => many(count, () => psp.addTransaction()) },
    { task: "FETCH_ORDERS", add: (psp, count) => many(count, () => psp.addOrder()) },
    {
      task: "FETCH_CONVERSIONS",
      add: (psp, count) => many(count, () => psp.addTransaction(conversion)),
    },
  ],
  errors: [
    { name: "a bad request", answer: () => problem(400, "invalid cursor"), kind: "invalid" },
    { name: "a fault", answer: () => problem(502, "bad gateway"), kind: "unknown" },
  ],
  unknownValues: [
    {
      name: "the type of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) => void psp.addTransaction({ type: "LATELY_INVENTED" }),
      expected: { type: "OTHER", status: "SUCCEEDED" },
    },
    {
      name: "the status of a transaction",
      task: "FETCH_PAYMENTS",
      arrange: (psp) => void psp.addTransaction({ status: "TRANSACTION_LATELY_INVENTED" }),
      expected: { type: "PAY-IN", status: "OTHER" },
    },
    {
      name: "the asset of a wallet",
      task: "FETCH_ACCOUNTS",
      arrange: (psp) => void psp.addWallet({ symbol: "NEWCOIN" }),
      expected: { reference: "wallet-1", metadata: { symbol: "NEWCOIN", type: "TRADING" } },
    },
  ],
} as const satisfies Parameters<typeof connectorConformance<FakeCoinbasePrime>>[0];

connectorConformance<FakeCoinbasePrime>(subject);

const bench = () => openBench<FakeCoinbasePrime>(subject);

describe("a transaction of Coinbase Prime", () => {
  const paymentOf = async (more: object) => {
    const { psp, plugin } = bench();
    psp.addTransaction(more);
    return (await fetchAll(plugin.fetchPayments)).items[0];
  };

  test.each([...Object.entries(TYPES), ["STAKE", "OTHER"], ["toString", "OTHER"]])(
    "a transaction of Coinbase Prime of the type %s is a %s",
    async (type, expected) => {
      expect((await paymentOf({ type }))?.type).toBe(expected);
    },
  );

  test.each([
    ...Object.entries(FINAL_STATUSES),
    ...[...OPEN_STATUSES].map((status) => [status, "PENDING"] as const),
  ])("a transaction of Coinbase Prime with the status %s is %s", async (status, expected) => {
    expect((await paymentOf({ status }))?.status).toBe(expected);
  });

  test("a transaction of Coinbase Prime has its wallets at both ends, and the decimals of its asset", async () => {
    const wallets = {
      transfer_from: { type: "WALLET", value: "wallet-1" },
      transfer_to: { type: "WALLET", value: "wallet-2" },
    };
    expect(
      await paymentOf({ type: "INTERNAL_WITHDRAWAL", amount: "-0.015", ...wallets }),
    ).toMatchObject({
      type: "TRANSFER",
      amount: 1_500_000n,
      asset: "BTC/8",
      sourceReference: "wallet-1",
      destinationReference: "wallet-2",
    });
    const paidOut = await paymentOf({
      type: "WITHDRAWAL",
      transfer_to: { type: "ADDRESS", value: "bc1" },
    });
    expect(paidOut).toMatchObject({ sourceReference: "wallet-1" });
    expect(paidOut).not.toHaveProperty("destinationReference");
  });

  test("a transaction of Coinbase Prime with an unknown asset is set aside", async () => {
    const { psp, plugin } = bench();
    psp.addTransaction({ symbol: "NEWCOIN" });
    const { items, rejected } = await fetchPage(plugin.fetchPayments);
    expect([items, rejected]).toMatchObject([
      [],
      [{ id: "transaction-1", reason: "the asset NEWCOIN is not known" }],
    ]);
  });

  test("a transaction of Coinbase Prime that is open is read again until it ends", async () => {
    const { psp, plugin } = bench();
    psp.addTransaction({ status: "TRANSACTION_PROCESSING" });
    psp.addTransaction();
    const first = await fetchAll(plugin.fetchPayments);
    expect(first.items.map(({ status }) => status)).toEqual(["PENDING", "SUCCEEDED"]);
    const [open] = psp.transactions;
    if (open !== undefined) psp.transactions[0] = { ...open, status: "TRANSACTION_DONE" };
    const second = await fetchAll(plugin.fetchPayments, { state: first.state });
    expect(second.items).toMatchObject([
      { reference: "transaction-1", status: "SUCCEEDED" },
      { reference: "transaction-2", status: "SUCCEEDED" },
    ]);
    psp.addTransaction();
    const third = await fetchAll(plugin.fetchPayments, { state: second.state });
    expect(third.items.map(({ reference }) => reference)).toEqual([
      "transaction-2",
      "transaction-3",
    ]);
  });
});

const fetchPage = async <Item>(
  fetch: ((request: { state: unknown; pageSize: number }) => Promise<Item>) | undefined,
): Promise<Item> => {
  if (fetch === undefined) throw new Error("the plugin has the fetch");
  return fetch({ state: undefined, pageSize: 10 });
};

describe("an order of Coinbase Prime", () => {
  const orderOf = async (more: object) => {
    const { psp, plugin } = bench();
    psp.addOrder(more);
    const { items } = await fetchAll(plugin.fetchOrders);
    for (const item of items) expect(orderProblem(item)).toBeUndefined();
    return items[0];
  };

  test("an order of Coinbase Prime is read with all of its members", async () => {
    expect(await orderOf({ expiry_time: "2026-03-02T00:00:00Z" })).toMatchObject({
      reference: "order-1",
      clientOrderId: "client-order-1",
      direction: "BUY",
      type: "LIMIT",
      status: "FILLED",
      sourceAsset: "USD/2",
      destinationAsset: "BTC/8",
      baseQuantityOrdered: 50_000_000n,
      baseQuantityFilled: 50_000_000n,
      limitPrice: 50_000_125n,
      averageFillPrice: 50_000_100n,
      priceAsset: "USD/3",
      quoteAmount: 2_500_005n,
      quoteAsset: "USD/2",
      fee: 1250n,
      feeAsset: "USD/2",
      timeInForce: "GOOD_UNTIL_CANCELLED",
      expiresAt: "2026-03-02T00:00:00.000000Z",
    });
  });

  test("an order of Coinbase Prime to sell gives the base asset", async () => {
    const order = await orderOf({ side: "SELL" });
    expect(order).toMatchObject({ sourceAsset: "BTC/8", destinationAsset: "USD/2" });
  });

  test("an order of Coinbase Prime for a value at the market has no quantity before it is filled", async () => {
    const open = { type: "MARKET", base_quantity: "", quote_value: "100", time_in_force: "" };
    const nothing = {
      filled_quantity: "",
      filled_value: "",
      average_filled_price: "",
      limit_price: "",
    };
    expect(await orderOf({ ...open, ...nothing, commission: "", status: "OPEN" })).toMatchObject({
      status: "OPEN",
      baseQuantityOrdered: 0n,
      quoteAmount: 10_000n,
      timeInForce: "IMMEDIATE_OR_CANCEL",
    });
  });

  test.each(Object.entries(ORDER_TYPES))(
    "an order of Coinbase Prime of the type %s is a %s",
    async (type, expected) => {
      expect((await orderOf({ type }))?.type).toBe(expected);
    },
  );

  test.each(Object.entries(STATUSES))(
    "an order of Coinbase Prime with the status %s is %s",
    async (status, expected) => {
      expect((await orderOf({ status, filled_quantity: "0" }))?.status).toBe(expected);
    },
  );

  test.each([{ type: "LATELY_INVENTED" }, { status: "LATELY_INVENTED" }, { product_id: "BTC" }])(
    "an order of Coinbase Prime that is not understood is set aside: %j",
    async (more) => {
      const { psp, plugin } = bench();
      psp.addOrder({ status: "OPEN", ...more });
      psp.addOrder({ status: "OPEN" });
      const { items, rejected } = await fetchAllOf(plugin.fetchOrders);
      expect(items.map(({ reference }) => reference)).toEqual(["order-2"]);
      expect(rejected).toMatchObject([{ id: "order-1" }]);
    },
  );

  test("an order of Coinbase Prime goes through its states, each of which is read", async () => {
    const { psp, plugin } = bench();
    const id = psp.addOrder({ status: "OPEN", filled_quantity: "0" });
    psp.addOrder();
    const first = await fetchAll(plugin.fetchOrders);
    psp.changeOrder(id, { filled_quantity: "0.25" });
    const second = await fetchAll(plugin.fetchOrders, { state: first.state });
    psp.changeOrder(id, { filled_quantity: "0.5", status: "FILLED" });
    const third = await fetchAll(plugin.fetchOrders, { state: second.state });
    const statesOf = (items: readonly { reference: string; status: string }[]) =>
      items.filter(({ reference }) => reference === id).map(({ status }) => status);
    expect([first, second, third].map(({ items }) => statesOf(items))).toEqual([
      ["OPEN"],
      ["PARTIALLY_FILLED"],
      ["FILLED"],
    ]);
  });
});

/** All items and rejected items, read to the end of both lists. */
async function fetchAllOf<Item>(
  fetch:
    | ((request: { state: unknown; pageSize: number }) => Promise<{
        items: readonly Item[];
        rejected?: readonly { id: string }[];
        state: unknown;
        hasMore: boolean;
      }>)
    | undefined,
) {
  if (fetch === undefined) throw new Error("the plugin has the fetch");
  const items: Item[] = [];
  const rejected: { id: string }[] = [];
  for (let state: unknown, hasMore = true; hasMore;) {
    const page = await fetch({ state, pageSize: 10 });
    items.push(...page.items);
    rejected.push(...(page.rejected ?? []));
    ({ state, hasMore } = page);
  }
  return { items, rejected };
}

describe("a conversion of Coinbase Prime", () => {
  test.each([
    ["TRANSACTION_DONE", "COMPLETED"],
    ["TRANSACTION_PROCESSING", "PENDING"],
    ["TRANSACTION_FAILED", "FAILED"],
    ["TRANSACTION_EXPIRED", "FAILED"],
  ])("a conversion of Coinbase Prime with the status %s is %s", async (status, expected) => {
    const { psp, plugin } = bench();
    psp.addTransaction({
      ...conversion,
      status,
      amount: "100.5",
      fees: "0.1250",
      fee_symbol: "USD",
    });
    const { items } = await fetchAll(plugin.fetchConversions);
    expect(items.map(conversionProblem)).toEqual([undefined]);
    expect(items).toMatchObject([
      {
        reference: "transaction-1",
        status: expected,
        sourceAsset: "USD/2",
        destinationAsset: "USDC/6",
        sourceAmount: 10_050n,
        fee: 125n,
        feeAsset: "USD/3",
        destinationReference: "wallet-1",
      },
    ]);
  });

  test("a conversion of Coinbase Prime is no payment", async () => {
    const { psp, plugin } = bench();
    psp.addTransaction(conversion);
    psp.addTransaction();
    const { items } = await fetchAll(plugin.fetchPayments);
    expect(items.map(({ reference }) => reference)).toEqual(["transaction-2"]);
  });
});

test("the assets of Coinbase Prime are asked for once a day", async () => {
  const { psp, plugin } = bench();
  psp.addTransaction();
  await fetchAll(plugin.fetchPayments);
  await fetchAll(plugin.fetchOrders);
  const asked = psp.urls.filter((url) => url.endsWith("/assets"));
  expect(asked).toEqual(["https://api.prime.coinbase.com/v1/entities/entity-1/assets"]);
});

test.each(["1.5", "-1", "99999999", "many"])(
  "an asset of Coinbase Prime with %s decimals is not known, and holds up no other",
  async (decimal_precision) => {
    const { psp, plugin } = bench();
    psp.assets.push({ name: "Odd", symbol: "ODD", decimal_precision });
    psp.addWallet({ symbol: "ODD" });
    psp.addWallet();
    const first = await fetchAll(plugin.fetchAccounts);
    expect(first.items.map(({ defaultAsset }) => defaultAsset)).toEqual([undefined, "BTC/8"]);
    psp.addTransaction();
    expect((await fetchAll(plugin.fetchPayments)).items).toHaveLength(1);
  },
);
