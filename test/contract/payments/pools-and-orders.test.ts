import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import { prepareConversions } from "#modules/payments/conversions/ingestion.ts";
import { encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { type InstalledConnector, requireConnector } from "#modules/payments/installs/store.ts";
import { prepareOrders } from "#modules/payments/orders/ingestion.ts";
import { systemContext } from "#platform/context.ts";
import { parseTimestamp, type Timestamp } from "#platform/time.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { keepEvents, keptEvents } from "#test/support/payments/kept-events.ts";
import { account } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v3, v1 } = sdk({ bearer: await token() }).payments;
const context = systemContext(env, "test");
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

const time = (text: string): Timestamp => {
  const timestamp = parseTimestamp(text);
  if (timestamp === undefined) throw new Error(`${text} is no timestamp`);
  return timestamp;
};
const T1 = time("2026-03-01T10:00:00Z");
const T2 = time("2026-03-01T11:00:00Z");

let connectors: InstalledConnector[];
beforeAll(async () => {
  await keepEvents();
  connectors = await Promise.all(
    ["generic", "dummypay"].map(async (provider) =>
      requireConnector(context, (await storeConnector({ provider })).id),
    ),
  );
});

const connectorAt = (place: number): InstalledConnector => {
  const connector = connectors[place];
  if (connector === undefined) throw new Error("there are two connectors");
  return connector;
};

interface Holding {
  readonly asset: string;
  readonly amount: bigint;
  readonly at?: Timestamp;
}

/** Stores an account with balances; returns its id. */
async function storeAccount(
  place: number,
  {
    type = "INTERNAL" as "INTERNAL" | "EXTERNAL",
    name = "Main",
    holdings = [] as readonly Holding[],
  },
): Promise<string> {
  const connector = connectorAt(place);
  const reference = freshName("acc");
  await storePage(context, () =>
    prepareAccounts(context, { connector, type, accounts: [account(reference, { name })] }),
  );
  for (const { asset, amount, at = T1 } of holdings) {
    const balances = [{ accountReference: reference, asset, amount, createdAt: at }];
    await storePage(context, () => prepareBalances(context, { connector, balances }));
  }
  return encodeOwnedId({ connector: connector.id, reference });
}

const createPool = async (fields: { query?: object; accountIDs?: string[]; name?: string }) => {
  const { v3CreatePoolResponse: created, statusCode } = await v3.createPool({
    name: freshName("pool"),
    ...fields,
  });
  expect(statusCode).toBe(201);
  return created?.data ?? "";
};

const readPool = async (poolID: string) => (await v3.getPool({ poolID })).v3GetPoolResponse?.data;

const latest = async (poolID: string) =>
  (await v3.getPoolBalancesLatest({ poolID })).v3PoolBalancesResponse?.data;

describe("static pools, through the official client", () => {
  test("static pools, through the official client, have members of several connectors, and balances in several currencies", async () => {
    const a = await storeAccount(0, {
      holdings: [
        { asset: "EUR/2", amount: 100n },
        { asset: "USD/2", amount: 7n },
      ],
    });
    const b = await storeAccount(1, { holdings: [{ asset: "EUR/2", amount: 25n }] });
    const poolID = await createPool({ accountIDs: [a] });
    expect(await readPool(poolID)).toMatchObject({ type: "STATIC", poolAccounts: [a] });
    const add = async () => (await v3.addAccountToPool({ poolID, accountID: b })).statusCode;
    expect([await add(), await add()]).toEqual([204, 204]);
    expect((await readPool(poolID))?.poolAccounts).toEqual([a, b]);
    expect(await latest(poolID)).toEqual([
      { asset: "EUR/2", amount: 125n, relatedAccounts: [a, b] },
      { asset: "USD/2", amount: 7n, relatedAccounts: [a] },
    ]);
    const query = { $match: { account_id: b } };
    const { v3PoolsCursorResponse: listed } = await v3.listPools({ query });
    expect(listed?.cursor.data).toMatchObject([{ id: poolID }]);
    expect((await v3.removeAccountFromPool({ poolID, accountID: a })).statusCode).toBe(204);
    expect((await v3.removeAccountFromPool({ poolID, accountID: a })).statusCode).toBe(204);
    expect((await readPool(poolID))?.poolAccounts).toEqual([b]);
    expect(await poolEvents(poolID)).toMatchObject([
      { type: "SAVED_POOL", payload: { accountIDs: [a], query: null } },
      { type: "SAVED_POOL", payload: { accountIDs: [a, b] } },
      { type: "SAVED_POOL", payload: { accountIDs: [b] } },
    ]);
    expect((await v3.deletePool({ poolID })).statusCode).toBe(204);
    expect((await v3.deletePool({ poolID })).statusCode).toBe(204);
    expect(await codeOf(v3.getPool({ poolID }))).toBe("NOT_FOUND");
    expect((await poolEvents(poolID)).at(-1)).toMatchObject({ type: "DELETED_POOL" });
  });

  test("static pools, through the official client, have balances at a moment that the balances were known at", async () => {
    const a = await storeAccount(0, {
      holdings: [
        { asset: "EUR/2", amount: 100n, at: T1 },
        { asset: "EUR/2", amount: 40n, at: T2 },
      ],
    });
    const poolID = await createPool({ accountIDs: [a] });
    const at = async (text: string) =>
      (await v3.getPoolBalances({ poolID, at: new Date(text) })).v3PoolBalancesResponse?.data;
    expect(await at("2026-03-01T09:00:00Z")).toEqual([]);
    expect(await at("2026-03-01T10:30:00Z")).toMatchObject([{ asset: "EUR/2", amount: 100n }]);
    expect(await at("2026-03-01T11:00:00Z")).toMatchObject([{ asset: "EUR/2", amount: 40n }]);
    expect(await at("2026-03-01T12:00:00Z")).toEqual([]);
    expect(await latest(poolID)).toMatchObject([{ amount: 40n }]);
    const { poolBalancesResponse } = await v1.getPoolBalances({
      poolId: poolID,
      at: new Date("2026-03-01T10:30:00Z"),
    });
    expect(poolBalancesResponse?.data).toEqual({ balances: [{ asset: "EUR/2", amount: 100n }] });
  });

  test("static pools, through the official client, are refused with codes that it knows", async () => {
    const external = await storeAccount(0, { type: "EXTERNAL" });
    const unknown = encodeOwnedId({ connector: connectorAt(0).id, reference: "nobody" });
    const create = (fields: object) =>
      codeOf(v3.createPool({ name: freshName("pool"), ...fields }));
    expect(await create({})).toBe("VALIDATION");
    expect(await create({ name: "", accountIDs: [] })).toBe("VALIDATION");
    expect(await create({ accountIDs: ["x"] })).toBe("VALIDATION");
    expect(await create({ accountIDs: [unknown] })).toBe("NOT_FOUND");
    expect(await create({ accountIDs: [external] })).toBe("VALIDATION");
    const name = freshName("pool");
    const poolID = await createPool({ name, accountIDs: [] });
    expect(await create({ name, accountIDs: [] })).toBe("CONFLICT");
    const add = (accountID: string) => codeOf(v3.addAccountToPool({ poolID, accountID }));
    expect(await add("x")).toBe("INVALID_ID");
    expect(await add(unknown)).toBe("NOT_FOUND");
    expect(await add(external)).toBe("VALIDATION");
    const v3UpdatePoolQueryRequest = { query: { $match: { name: "a" } } };
    expect(await codeOf(v3.updatePoolQuery({ poolID, v3UpdatePoolQueryRequest }))).toBe(
      "VALIDATION",
    );
    expect(await codeOf(v3.getPoolBalances({ poolID }))).toBe("VALIDATION");
    const at = new Date(Date.now() + 3_600_000);
    expect(await codeOf(v3.getPoolBalances({ poolID, at }))).toBe("VALIDATION");
    expect(await codeOf(v3.getPoolBalancesLatest({ poolID: UNKNOWN }))).toBe("NOT_FOUND");
    expect(await codeOf(v3.deletePool({ poolID: "x" }))).toBe("INVALID_ID");
    expect(await codeOf(v3.listPools({ query: { $match: { type: "STATIC" } } }))).toBe(
      "VALIDATION",
    );
    const byId = (id: string) => v3.listPools({ query: { $match: { id } } });
    expect(await codeOf(byId("nouuid"))).toBe("VALIDATION");
    const found = await byId(poolID.toUpperCase());
    expect(found.v3PoolsCursorResponse?.cursor.data).toMatchObject([{ id: poolID }]);
  });
});

describe("dynamic pools, through the official client", () => {
  test("dynamic pools, through the official client, find their accounts each time", async () => {
    const name = freshName("treasury");
    const query = { $match: { name } };
    const poolID = await createPool({ query });
    expect(await readPool(poolID)).toMatchObject({ type: "DYNAMIC", query, poolAccounts: [] });
    expect(await latest(poolID)).toEqual([]);
    const huge = 10n ** 20n;
    const a = await storeAccount(0, { name, holdings: [{ asset: "EUR/2", amount: huge }] });
    const b = await storeAccount(1, {
      name,
      type: "EXTERNAL",
      holdings: [{ asset: "EUR/2", amount: 1n }],
    });
    const response = await api(`/api/payments/v3/pools/${poolID}/balances/latest`);
    expect(await bodyOf(response)).toEqual({
      data: [{ asset: "EUR/2", amount: huge + 1n, relatedAccounts: [a, b] }],
    });
    const narrower = {
      $and: [query, { $match: { connector_id: encodeConnectorId(connectorAt(1).id) } }],
    };
    const updated = await v3.updatePoolQuery({
      poolID,
      v3UpdatePoolQueryRequest: { query: narrower },
    });
    expect(updated.statusCode).toBe(204);
    expect(await latest(poolID)).toEqual([{ asset: "EUR/2", amount: 1n, relatedAccounts: [b] }]);
    expect(await poolEvents(poolID)).toMatchObject([
      { payload: { query, accountIDs: [] } },
      { payload: { query: narrower, accountIDs: [b] } },
    ]);
  });

  test("dynamic pools, through the official client, are refused with codes that it knows", async () => {
    const create = (query: object) => codeOf(v3.createPool({ name: freshName("pool"), query }));
    expect(await create({ $match: { nothing: "a" } })).toBe("VALIDATION");
    expect(await create({ nothing: 1 })).toBe("VALIDATION");
    const poolID = await createPool({ query: { $match: { name: "a" } } });
    const accountID = await storeAccount(0, {});
    expect(await codeOf(v3.addAccountToPool({ poolID, accountID }))).toBe("VALIDATION");
    expect(await codeOf(v3.removeAccountFromPool({ poolID, accountID }))).toBe("VALIDATION");
    const v3UpdatePoolQueryRequest = { query: { $gt: { nothing: 1 } } };
    const update = (id: string) =>
      codeOf(v3.updatePoolQuery({ poolID: id, v3UpdatePoolQueryRequest }));
    expect(await update(poolID)).toBe("VALIDATION");
    v3UpdatePoolQueryRequest.query = {} as never;
    expect(await update(poolID)).toBe("VALIDATION");
  });

  test("dynamic pools, through the official client, are changed by several at a time, one after the other", async () => {
    const poolID = await createPool({ accountIDs: [] });
    const accounts = await Promise.all([0, 1, 0, 1].map((place) => storeAccount(place, {})));
    await Promise.all(accounts.map((accountID) => v3.addAccountToPool({ poolID, accountID })));
    const pool = await readPool(poolID);
    expect(pool?.poolAccounts.toSorted()).toEqual(accounts.toSorted());
    const named = (await poolEvents(poolID)).map(
      ({ payload }) => (payload as { accountIDs: string[] }).accountIDs.length,
    );
    expect(named).toEqual([0, 1, 2, 3, 4]);
  });
});

describe("pools of the first generation", () => {
  test("pools of the first generation are the same objects", async () => {
    const a = await storeAccount(0, { holdings: [{ asset: "EUR/2", amount: 5n }] });
    const b = await storeAccount(1, {});
    const { poolResponse } = await v1.createPool({ name: freshName("v1"), accountIDs: [a] });
    const poolId = poolResponse?.data.id ?? "";
    expect(poolResponse?.data).toMatchObject({ type: "STATIC", accounts: [a] });
    const added = await v1.addAccountToPool({ poolId, addAccountToPoolRequest: { accountID: b } });
    expect(added.statusCode).toBe(204);
    expect((await v1.getPool({ poolId })).poolResponse?.data.accounts).toEqual([a, b]);
    expect((await v1.removeAccountFromPool({ poolId, accountId: b })).statusCode).toBe(204);
    const { poolBalancesLatestResponse } = await v1.getPoolBalancesLatest({ poolId });
    expect(poolBalancesLatestResponse?.data).toMatchObject([{ asset: "EUR/2", amount: 5n }]);
    const { poolsCursor } = await v1.listPools({ pageSize: 1 });
    expect(poolsCursor?.cursor.data).toMatchObject([{ id: poolId, accounts: [a] }]);
    const dynamic = await v1.createPool({
      name: freshName("v1"),
      query: { $match: { name: "a" } },
    });
    const dynamicId = dynamic.poolResponse?.data.id ?? "";
    expect(dynamic.poolResponse?.data).toMatchObject({ type: "DYNAMIC", accounts: [] });
    const updatePoolQueryRequest = { query: { $match: { name: "b" } } };
    const updated = await v1.updatePoolQuery({ poolId: dynamicId, updatePoolQueryRequest });
    expect(updated.statusCode).toBe(204);
    expect(await readPool(dynamicId)).toMatchObject(updatePoolQueryRequest);
    expect((await v1.deletePool({ poolId })).statusCode).toBe(204);
    expect(await codeOf(v1.getPool({ poolId }))).toBe("NOT_FOUND");
  });

  test("pools of the first generation are refused with codes that its client knows", async () => {
    const { poolResponse } = await v1.createPool({ name: freshName("v1"), accountIDs: [] });
    const poolId = poolResponse?.data.id ?? "";
    const add = (accountID: string) =>
      codeOf(v1.addAccountToPool({ poolId, addAccountToPoolRequest: { accountID } }));
    expect(await add("")).toBe("VALIDATION");
    expect(await add("x")).toBe("INVALID_ID");
    expect(await codeOf(v1.createPool({ name: freshName("v1") }))).toBe("VALIDATION");
    expect(await codeOf(v1.getPool({ poolId: "x" }))).toBe("INVALID_ID");
    const missing = await api(`/api/payments/pools/${poolId}/balances`);
    expect([missing.status, await missing.text()]).toEqual([
      400,
      expect.stringContaining("missing atTime"),
    ]);
  });
});

describe("orders and conversions, through the official client", () => {
  const order = {
    createdAt: T1,
    direction: "BUY",
    sourceAsset: "EUR/2",
    destinationAsset: "BTC/8",
    type: "LIMIT",
    baseQuantityOrdered: 100n,
    timeInForce: "FILL_OR_KILL",
    sourceReference: "wallet",
    raw: '{"id":"order"}',
  } as const;

  test("orders and conversions, through the official client, are listed and read", async () => {
    const connector = connectorAt(0);
    const reference = freshName("order");
    const tag = freshName();
    const orders = [
      { ...order, reference, updatedAt: T1, status: "OPEN" as const, metadata: { tag } },
      {
        ...order,
        reference,
        updatedAt: T2,
        status: "FILLED" as const,
        baseQuantityFilled: 100n,
        fee: 2n,
        feeAsset: "EUR/2",
        metadata: {},
      },
    ];
    await storePage(context, () => prepareOrders(context, { connector, orders }));
    const orderID = encodeOwnedId({ connector: connector.id, reference });
    const { v3GetOrderResponse: read } = await v3.getOrder({ orderID });
    expect(read?.data).toMatchObject({
      id: orderID,
      connectorID: encodeConnectorId(connector.id),
      status: "FILLED",
      fee: 2n,
      sourceAccountID: encodeOwnedId({ connector: connector.id, reference: "wallet" }),
      metadata: { tag },
      adjustments: [
        { status: "OPEN", raw: { id: "order" } },
        { status: "FILLED", baseQuantityFilled: 100n },
      ],
    });
    const idsWhere = async (query: Record<string, unknown>) => {
      const { v3OrdersCursorResponse: listed } = await v3.listOrders({ query });
      return listed?.cursor.data.map(({ id }) => id);
    };
    expect(await idsWhere({ $match: { id: orderID } })).toEqual([orderID]);
    expect(await idsWhere({ $match: { "metadata[tag]": tag } })).toEqual([orderID]);
    const mine = { $match: { reference } };
    const isFilled = { $and: [mine, { $match: { status: "FILLED" } }, { $gte: { fee: 2 } }] };
    expect(await idsWhere(isFilled)).toEqual([orderID]);
    expect(await idsWhere({ $and: [mine, { $match: { status: "OPEN" } }] })).toEqual([]);
    expect(await idsWhere({ $and: [mine, { $match: { status: "NO_STATUS" } }] })).toEqual([]);
    const elsewhere = encodeConnectorId(connectorAt(1).id);
    expect(await idsWhere({ $and: [mine, { $match: { connector_id: elsewhere } }] })).toEqual([]);
  });

  test("orders, through the official client, have their conversions", async () => {
    const connector = connectorAt(1);
    const reference = freshName("conv");
    const { createdAt, sourceAsset, destinationAsset, sourceReference } = order;
    const conversions = [
      {
        createdAt,
        sourceAsset,
        destinationAsset,
        sourceReference,
        reference,
        updatedAt: T2,
        status: "COMPLETED" as const,
        sourceAmount: 10n,
        metadata: {},
        raw: '{"id":"conv"}',
      },
    ];
    await storePage(context, () => prepareConversions(context, { connector, conversions }));
    const conversionID = encodeOwnedId({ connector: connector.id, reference });
    const { v3GetConversionResponse: read } = await v3.getConversion({ conversionID });
    expect(read?.data).toMatchObject({ id: conversionID, status: "COMPLETED", sourceAmount: 10n });
    const source = encodeOwnedId({ connector: connector.id, reference: "wallet" });
    const query = { $match: { source_account_id: source } };
    const { v3ConversionsCursorResponse: listed } = await v3.listConversions({ query });
    expect(listed?.cursor.data).toEqual([read?.data]);
  });

  test("orders and conversions, through the official client, are refused with codes that it knows", async () => {
    const unknown = encodeOwnedId({ connector: connectorAt(0).id, reference: "nothing" });
    expect(await codeOf(v3.getOrder({ orderID: "x" }))).toBe("INVALID_ID");
    expect(await codeOf(v3.getOrder({ orderID: unknown }))).toBe("NOT_FOUND");
    expect(await codeOf(v3.getConversion({ conversionID: "x" }))).toBe("INVALID_ID");
    expect(await codeOf(v3.getConversion({ conversionID: unknown }))).toBe("NOT_FOUND");
    const query = { $match: { nothing: "a" } };
    expect(await codeOf(v3.listOrders({ query }))).toBe("VALIDATION");
    expect(await codeOf(v3.listConversions({ query }))).toBe("VALIDATION");
  });
});

/** The events of a pool, in their order. */
const poolEvents = (id: string) => keptEvents(`"payload":{"id":"${id}"`);
