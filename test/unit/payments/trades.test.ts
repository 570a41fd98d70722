import { beforeEach, describe, expect, test } from "vitest";
import type {
  ProviderConversion,
  ProviderOrder,
} from "#modules/payments/connectors/provider-orders.ts";
import { prepareConversions } from "#modules/payments/conversions/ingestion.ts";
import { sumBalances } from "#modules/payments/core/pool-balances.ts";
import { applyReport } from "#modules/payments/core/trade-state.ts";
import { isOutdated } from "#modules/payments/ingestion/page.ts";
import { prepareOrders } from "#modules/payments/orders/ingestion.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { conversion, order } from "#test/support/payments/provider-orders.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

describe("a report of a trade", () => {
  const state = { updatedAt: at(5), status: "OPEN", metadata: { a: "1", b: "2" } };

  test("a report of a trade is the state of what is new", () => {
    const report = { ...state, isKnown: false };
    expect(applyReport(undefined, report)).toEqual({ state, isLate: false });
  });

  test("a report of a trade changes what is older, and adds metadata", () => {
    const report = { updatedAt: at(6), status: "FILLED", metadata: { b: "3" }, isKnown: false };
    expect(applyReport(state, report)).toEqual({
      state: { updatedAt: at(6), status: "FILLED", metadata: { a: "1", b: "3" } },
      isLate: false,
    });
  });

  test("a report of a trade that is late adds only metadata that are missing", () => {
    const report = {
      updatedAt: at(4),
      status: "PENDING",
      metadata: { b: "0", c: "4" },
      isKnown: false,
    };
    expect(applyReport(state, report)).toEqual({
      state: { ...state, metadata: { a: "1", b: "2", c: "4" } },
      isLate: true,
    });
  });

  test("a report of a trade of a state that was there before leaves the status of the newest one", () => {
    const report = { updatedAt: at(7), status: "PENDING", metadata: {}, isKnown: true };
    expect(applyReport(state, report).state).toMatchObject({ updatedAt: at(7), status: "OPEN" });
  });
});

describe("orders that are stored", () => {
  let world: IngestWorld;
  beforeEach(() => {
    world = new IngestWorld();
  });
  const prepare = (...orders: ProviderOrder[]) =>
    prepareOrders(world.context, { connector: world.connector, orders });
  const store = async (...orders: ProviderOrder[]) => world.store(await prepare(...orders));
  const rows = () => world.d1.rows("SELECT * FROM payment_orders ORDER BY key");
  const states = () =>
    world.d1.rows("SELECT ordinal, status FROM payment_order_adjustments ORDER BY key");

  test("orders that are stored have a state and an event for each report that is new", async () => {
    await store(order({ status: "PENDING" }), order({ updatedAt: at(1) }));
    await store(
      order({ updatedAt: at(2), status: "FILLED", baseQuantityFilled: 10n ** 20n, fee: 7n }),
      order({ reference: "order-2" }),
    );
    expect(rows()).toMatchObject([
      {
        reference: "order-1",
        status: "FILLED",
        updated_at: at(2),
        base_quantity_ordered: "100000000000000000000",
        base_quantity_filled: "100000000000000000000",
        fee: "7",
      },
      { reference: "order-2", status: "OPEN" },
    ]);
    expect(states()).toMatchObject([
      { ordinal: 0, status: "PENDING" },
      { ordinal: 1, status: "OPEN" },
      { ordinal: 2, status: "FILLED" },
      { ordinal: 0, status: "OPEN" },
    ]);
    expect(world.events.map(({ type, payload }) => [type, payload])).toMatchObject([
      ["SAVED_ORDER", { status: "PENDING", rawData: { status: "PENDING" } }],
      ["SAVED_ORDER", { status: "OPEN", baseQuantityOrdered: "100000000000000000000" }],
      ["SAVED_ORDER", { status: "FILLED", fee: "7" }],
      ["SAVED_ORDER", { reference: "order-2" }],
    ]);
  });

  test("orders that are stored stay as they are when a page comes again", async () => {
    await store(order(), order({ updatedAt: at(1), status: "CANCELLED" }));
    const again = await prepare(order({ updatedAt: at(1), status: "CANCELLED" }));
    expect(again).toEqual({ statements: [], events: [] });
    await store(order(), order({ updatedAt: at(1), status: "CANCELLED" }));
    expect(states()).toHaveLength(2);
    expect(rows()).toMatchObject([{ status: "CANCELLED", updated_at: at(1) }]);
  });

  test("orders that are stored take a late report as a state, and keep what is newer", async () => {
    await store(order({ updatedAt: at(5), status: "FILLED", quoteAmount: 5n }));
    await store(order({ updatedAt: at(1), status: "OPEN", quoteAmount: 1n, metadata: { a: "1" } }));
    expect(rows()).toMatchObject([
      { status: "FILLED", quote_amount: "5", updated_at: at(5), metadata: '{"a":"1"}' },
    ]);
    expect(states()).toMatchObject([{ status: "FILLED" }, { status: "OPEN" }]);
  });

  test("orders that are stored are decided again where two pages were prepared at a time", async () => {
    await store(order());
    const [one, two] = [
      await prepare(order({ updatedAt: at(1), status: "FILLED" })),
      await prepare(order({ updatedAt: at(2), status: "CANCELLED" })),
    ];
    await world.store(one);
    const error: unknown = await world.store(two).catch((reason: unknown) => reason);
    expect(isOutdated(error)).toBe(true);
    expect(rows()).toMatchObject([{ status: "FILLED" }]);
  });

  test("orders that are stored are refused as a page where one is bad", async () => {
    await expect(prepare(order(), order({ feeAsset: "eur" }))).rejects.toThrow("not valid");
    await expect(prepare(order({ reference: "" }))).rejects.toThrow("no reference");
  });
});

describe("conversions that are stored", () => {
  let world: IngestWorld;
  beforeEach(() => {
    world = new IngestWorld();
  });
  const store = async (...conversions: ProviderConversion[]) =>
    world.store(
      await prepareConversions(world.context, { connector: world.connector, conversions }),
    );
  const rows = () => world.d1.rows("SELECT * FROM payment_conversions ORDER BY key");

  test("conversions that are stored have an event for each new status", async () => {
    await store(conversion());
    await store(conversion());
    await store(
      conversion({ updatedAt: at(1), status: "COMPLETED", destinationAmount: 3n, fee: 1n }),
    );
    expect(rows()).toMatchObject([
      { status: "COMPLETED", destination_amount: "3", source_amount: "100000000000000000000" },
    ]);
    expect(world.events.map(({ payload }) => payload)).toMatchObject([
      { status: "PENDING", sourceAmount: "100000000000000000000" },
      { status: "COMPLETED", destinationAmount: "3", fee: "1" },
    ]);
  });

  test("conversions that are stored keep what is newer when a report comes late", async () => {
    await store(conversion({ updatedAt: at(5), status: "COMPLETED" }));
    await store(conversion({ updatedAt: at(1), status: "PENDING" }));
    expect(rows()).toMatchObject([{ status: "COMPLETED", updated_at: at(5) }]);
    expect(world.events).toHaveLength(1);
  });
});

describe("balances of a pool", () => {
  test("balances of a pool are summed by asset", () => {
    const balance = (held: string, amount: bigint) => {
      const [accountId = "", asset = ""] = held.split(" ");
      return { accountId, asset, amount };
    };
    expect(
      sumBalances([
        balance("a USD/2", 1n),
        balance("a EUR/2", 10n ** 20n),
        balance("b EUR/2", -5n),
      ]),
    ).toEqual([
      { asset: "EUR/2", amount: 10n ** 20n - 5n, accountIds: ["a", "b"] },
      { asset: "USD/2", amount: 1n, accountIds: ["a"] },
    ]);
    expect(sumBalances([])).toEqual([]);
  });
});
