import { describe, expect, test } from "vitest";
import { freshName, token } from "#test/support/platform/api.ts";
import { codeOf, sdk } from "#test/support/platform/sdk/sdk.ts";

/** The client always gets a token, because the SDK itself sends none with some of these operations. */
const { v1 } = sdk({ bearer: await token() }).wallets;

const usd = (amount: number | bigint) => ({ amount: BigInt(amount), asset: "USD/2" });
const UNKNOWN = "00000000-0000-4000-8000-000000000000";

/** Creates a wallet with an amount on its main balance; returns the wallet's id. */
async function newWallet(amount = 0, metadata: Record<string, string> = {}): Promise<string> {
  const { createWalletResponse } = await v1.createWallet({
    createWalletRequest: { name: freshName("wallet"), metadata },
  });
  const id = createWalletResponse?.data.id ?? "";
  if (amount > 0) await v1.creditWallet({ id, creditWalletRequest: { amount: usd(amount) } });
  return id;
}

async function assetsOf(id: string, balanceName = "main"): Promise<Record<string, bigint>> {
  const { getBalanceResponse } = await v1.getBalance({ id, balanceName });
  return getBalanceResponse?.data.assets ?? {};
}

/** Creates a hold; returns its id. */
async function newHold(id: string, amount: number): Promise<string> {
  const debitWalletRequest = { amount: usd(amount), pending: true, metadata: {} };
  const { debitWalletResponse } = await v1.debitWallet({ id, debitWalletRequest });
  return debitWalletResponse?.data.id ?? "";
}

test("the version is that of the reference", async () => {
  const { serverInfo } = await v1.getServerInfoWallets();
  expect(serverInfo?.version).toBe("v2.2.0");
});

describe("a wallet", () => {
  test("a wallet is created, read, changed and listed", async () => {
    const name = freshName("wallet");
    const { createWalletResponse } = await v1.createWallet({
      createWalletRequest: { name, metadata: { tier: "gold", kept: "yes" } },
    });
    const created = createWalletResponse?.data;
    expect(created).toMatchObject({
      name,
      ledger: "wallets-002",
      balances: { main: { assets: {} } },
    });
    const id = created?.id ?? "";
    await v1.updateWallet({ id, requestBody: { metadata: { tier: "silver" } } });
    await v1.creditWallet({ id, creditWalletRequest: { amount: usd(100) } });
    const { getWalletResponse } = await v1.getWallet({ id });
    expect(getWalletResponse?.data).toEqual({
      ...created,
      metadata: { tier: "silver", kept: "yes" },
      balances: { main: { assets: { "USD/2": 100n } } },
    });
    const { listWalletsResponse } = await v1.listWallets({ name, expand: "balances" });
    expect(listWalletsResponse?.cursor.data).toEqual([getWalletResponse?.data]);
    const plain = await v1.listWallets({ name });
    expect(plain.listWalletsResponse?.cursor.data[0]?.balances).toEqual({ main: { assets: {} } });
  });

  test("a wallet is found by its metadata, and by cursors", async () => {
    const group = freshName("group");
    const ids = await Promise.all(
      [1, 2, 3].map((rank) => newWallet(0, { group, rank: `${rank}` })),
    );
    const one = await v1.listWallets({ metadata: { group, rank: "2" } });
    expect(one.listWalletsResponse?.cursor.data.map(({ id }) => id)).toEqual([ids[1]]);
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await v1.listWallets(
        cursor === undefined ? { metadata: { group }, pageSize: 2 } : { cursor },
      );
      found.push(...(page.listWalletsResponse?.cursor.data ?? []).map(({ id }) => id));
      cursor = page.listWalletsResponse?.cursor.next;
    } while (cursor !== undefined && cursor !== "");
    expect(found).toEqual(ids.toSorted());
  });

  test("a wallet that nobody knows has an empty summary, and is nothing to read or change", async () => {
    const { getWalletSummaryResponse } = await v1.getWalletSummary({ id: UNKNOWN });
    expect(getWalletSummaryResponse?.data).toEqual({
      balances: [],
      availableFunds: {},
      expirableFunds: {},
      expiredFunds: {},
      holdFunds: {},
    });
    expect((await v1.getWallet({ id: UNKNOWN })).getWalletResponse).toBeUndefined();
    const change = v1.updateWallet({ id: UNKNOWN, requestBody: { metadata: { a: "b" } } });
    expect(await codeOf(change)).toBe("VALIDATION");
    expect(await codeOf(v1.listWallets({ cursor: "wallets.none" }))).toBe("VALIDATION");
  });

  test("a wallet is created once by a key, whatever becomes of it", async () => {
    const idempotencyKey = freshName("key");
    const createWalletRequest = { name: "once", metadata: { a: "1" } };
    const first = await v1.createWallet({ idempotencyKey, createWalletRequest });
    const id = first.createWalletResponse?.data.id ?? "";
    await v1.updateWallet({ id, requestBody: { metadata: { a: "2" } } });
    const again = await v1.createWallet({ idempotencyKey, createWalletRequest });
    expect(again.createWalletResponse).toEqual(first.createWalletResponse);
    const other = { name: "other", metadata: {} };
    expect(await codeOf(v1.createWallet({ idempotencyKey, createWalletRequest: other }))).toBe(
      "VALIDATION",
    );
  });
});

describe("a balance", () => {
  test("a wallet's balance is created, listed and read", async () => {
    const id = await newWallet();
    const expiresAt = new Date("2040-01-01T00:00:00Z");
    const balance = { name: "coupon", expiresAt, priority: 10n };
    const { createBalanceResponse } = await v1.createBalance({ id, balance });
    expect(createBalanceResponse?.data).toEqual(balance);
    const { listBalancesResponse } = await v1.listBalances({ id });
    expect(listBalancesResponse?.cursor.data).toEqual([
      balance,
      { name: "main", expiresAt: null, priority: 0n },
    ]);
    await v1.creditWallet({ id, creditWalletRequest: { amount: usd(7), balance: "coupon" } });
    const { getBalanceResponse } = await v1.getBalance({ id, balanceName: "coupon" });
    expect(getBalanceResponse?.data).toEqual({ ...balance, assets: { "USD/2": 7n } });
  });

  test("a wallet's balance needs a name that is free, and is not found by another one", async () => {
    const id = await newWallet();
    await v1.createBalance({ id, balance: { name: "a-b" } });
    for (const name of ["a-b", "ab", "main", "ma-in", "a:b", "a b", "-", ""]) {
      expect(await codeOf(v1.createBalance({ id, balance: { name } }))).toBe("VALIDATION");
    }
    expect(await codeOf(v1.getBalance({ id, balanceName: "other" }))).toBe("VALIDATION");
    await expect(v1.listBalances({ id: UNKNOWN })).resolves.toMatchObject({
      listBalancesResponse: { cursor: { data: [] } },
    });
  });
});

describe("money", () => {
  test("money of wallets moves in and out, and the ledger shows how", async () => {
    const [id, other] = [await newWallet(100), await newWallet()];
    await v1.debitWallet({
      id,
      debitWalletRequest: {
        amount: usd(30),
        metadata: { order: "42" },
        destination: { type: "WALLET", identifier: other },
      },
    });
    expect([await assetsOf(id), await assetsOf(other)]).toEqual([
      { "USD/2": 70n },
      { "USD/2": 30n },
    ]);
    const { getTransactionsResponse } = await v1.getTransactions({ walletID: id });
    const { data } = getTransactionsResponse?.cursor ?? { data: [] };
    expect(data.map(({ metadata }) => metadata)).toEqual([
      { "wallets/transaction": "true", "wallets/custom_data_order": "42" },
      { "wallets/transaction": "true" },
    ]);
    const main = (wallet: string) => `wallets:${wallet.replaceAll("-", "")}:main`;
    expect(data[0]).toMatchObject({
      ledger: "wallets-002",
      postings: [{ source: main(id), destination: main(other), amount: 30n, asset: "USD/2" }],
    });
    expect(await codeOf(v1.getTransactions({ cursor: "transactions.none" }))).toBe("VALIDATION");
  });

  test("money of wallets is refused where there is too little, or where it is no money", async () => {
    const id = await newWallet(10);
    const debit = (amount: { amount: bigint; asset: string }) =>
      codeOf(v1.debitWallet({ id, debitWalletRequest: { amount, metadata: {} } }));
    const credit = (amount: { amount: bigint; asset: string }) =>
      codeOf(v1.creditWallet({ id, creditWalletRequest: { amount } }));
    expect(await debit(usd(11))).toBe("INSUFFICIENT_FUND");
    expect(await debit(usd(-1))).toBe("VALIDATION");
    expect(await debit({ amount: 1n, asset: "test" })).toBe("VALIDATION");
    expect(await credit(usd(-1))).toBe("VALIDATION");
    expect(await credit({ amount: 1n, asset: "test" })).toBe("VALIDATION");
    const sources = [{ type: "ACCOUNT" as const, identifier: "nobody" }];
    const unfunded = { amount: usd(1), sources };
    expect(await codeOf(v1.creditWallet({ id, creditWalletRequest: unfunded }))).toBe(
      "INSUFFICIENT_FUND",
    );
    expect(await assetsOf(id)).toEqual({ "USD/2": 10n });
  });

  test("money of wallets moves once by a key, and another movement with the key is refused", async () => {
    const id = await newWallet();
    const idempotencyKey = freshName("key");
    const credit = (amount: number) =>
      v1.creditWallet({ id, idempotencyKey, creditWalletRequest: { amount: usd(amount) } });
    await credit(5);
    await credit(5);
    expect(await codeOf(credit(6))).toBe("VALIDATION");
    const debitWalletRequest = { amount: usd(5), pending: true, metadata: {} };
    expect(await codeOf(v1.debitWallet({ id, idempotencyKey, debitWalletRequest }))).toBe(
      "VALIDATION",
    );
    expect(await assetsOf(id)).toEqual({ "USD/2": 5n });
  });
});

describe("a hold", () => {
  test("a hold of a wallet is made, read, listed and confirmed in parts", async () => {
    const id = await newWallet(100);
    const other = await newWallet();
    const { debitWalletResponse } = await v1.debitWallet({
      id,
      debitWalletRequest: {
        amount: usd(60),
        pending: true,
        description: "ride",
        metadata: { order: "42" },
        destination: { type: "WALLET", identifier: other },
      },
    });
    const hold = debitWalletResponse?.data;
    expect(hold).toEqual({
      id: hold?.id,
      walletID: id,
      asset: "USD/2",
      description: "ride",
      metadata: { order: "42" },
      destination: { type: "WALLET", identifier: other },
    });
    const holdID = hold?.id ?? "";
    const { getHoldsResponse } = await v1.getHolds({ walletID: id, metadata: { order: "42" } });
    expect(getHoldsResponse?.cursor.data).toEqual([hold]);
    await v1.confirmHold({ holdId: holdID, confirmHoldRequest: { amount: 20n } });
    const { getHoldResponse } = await v1.getHold({ holdID });
    expect(getHoldResponse?.data).toEqual({ ...hold, originalAmount: 60n, remaining: 40n });
    const above = v1.confirmHold({ holdId: holdID, confirmHoldRequest: { amount: 41n } });
    expect(await codeOf(above)).toBe("INSUFFICIENT_FUND");
    await v1.confirmHold({ holdId: holdID, confirmHoldRequest: { amount: 10n, final: true } });
    expect([await assetsOf(id), await assetsOf(other)]).toEqual([
      { "USD/2": 70n },
      { "USD/2": 30n },
    ]);
    expect(await codeOf(v1.confirmHold({ holdId: holdID }))).toBe("HOLD_CLOSED");
    expect(await codeOf(v1.voidHold({ holdId: holdID }))).toBe("HOLD_CLOSED");
  });

  test("a hold of a wallet is voided", async () => {
    const id = await newWallet(100);
    const holdId = await newHold(id, 60);
    await v1.voidHold({ holdId });
    expect(await assetsOf(id)).toEqual({ "USD/2": 100n });
  });

  test("a hold of a wallet that nobody knows is not found", async () => {
    expect(await codeOf(v1.getHold({ holdID: UNKNOWN }))).toBe("VALIDATION");
    expect(await codeOf(v1.confirmHold({ holdId: UNKNOWN }))).toBe("VALIDATION");
    expect(await codeOf(v1.voidHold({ holdId: UNKNOWN }))).toBe("VALIDATION");
    expect(await codeOf(v1.getHolds({ cursor: "holds.none" }))).toBe("VALIDATION");
  });
});

test("the summary adds up balances and holds", async () => {
  const id = await newWallet(1000);
  const [soon, past] = [new Date(Date.now() + 3_600_000), new Date(Date.now() - 60_000)];
  for (const balance of [
    { name: "balance1", priority: 10n },
    { name: "balance2", expiresAt: soon },
    { name: "balance3", expiresAt: past },
  ]) {
    await v1.createBalance({ id, balance });
    const credit = { amount: { amount: 1000n, asset: "USD/2" }, balance: balance.name };
    await v1.creditWallet({ id, creditWalletRequest: credit });
  }
  await v1.createBalance({ id, balance: { name: "balance4" } });
  for (const [amount, balances] of [
    [1500, ["main", "balance1"]],
    [500, ["main", "balance2"]],
    [700, ["balance1", "balance2"]],
  ] as const) {
    const debitWalletRequest = {
      amount: usd(amount),
      pending: true,
      metadata: {},
      balances: [...balances],
    };
    await v1.debitWallet({ id, debitWalletRequest });
  }
  const { getWalletSummaryResponse } = await v1.getWalletSummary({ id });
  const [none, held] = [null, (amount: bigint) => ({ "USD/2": amount })];
  expect(getWalletSummaryResponse?.data).toEqual({
    balances: [
      { name: "balance1", expiresAt: none, priority: 10n, assets: held(0n) },
      { name: "balance2", expiresAt: soon, priority: 0n, assets: held(300n) },
      { name: "balance3", expiresAt: past, priority: 0n, assets: held(1000n) },
      { name: "balance4", expiresAt: none, priority: 0n, assets: {} },
      { name: "main", expiresAt: none, priority: 0n, assets: held(0n) },
    ],
    availableFunds: held(300n),
    expirableFunds: held(300n),
    expiredFunds: held(1000n),
    holdFunds: held(2700n),
  });
});
