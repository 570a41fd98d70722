import { beforeAll, describe, expect, test } from "vitest";
import { inLedger, okBodyOf, refusalOf } from "#test/support/ledger/api.ts";
import { freshName } from "#test/support/platform/api.ts";
import {
  credited,
  freshHold,
  freshWallet,
  heldIn,
  inWallets,
  succeeded,
  usd,
} from "#test/support/wallets/wallets.ts";

/** An amount that a double cannot hold exactly. */
const HUGE = 123_456_789_012_345_678_901_234_567_890n;
const VALIDATION = { status: 400, code: "VALIDATION" };

/** The wallet of the refused requests, whose balance stays the same. */
let refused: Awaited<ReturnType<typeof freshWallet>>;
beforeAll(async () => {
  refused = await freshWallet(5);
});

interface Cursor<T> {
  cursor: { pageSize: number; hasMore: boolean; next: string; data: T[] };
}

describe("a credit", () => {
  test("a credit of a wallet is exact beyond 2^53", async () => {
    const { path } = await freshWallet(HUGE);
    const { data } = await okBodyOf<{ data: object }>(inWallets(path));
    expect(data).toMatchObject({ balances: { main: { assets: { "USD/2": HUGE } } } });
    const text = await (await inWallets("/transactions?pageSize=1")).text();
    expect(text).toContain(`"amount":${HUGE}`);
  });

  test("a credit of a wallet drains its sources in their order", async () => {
    const [from, to] = [await freshWallet(10), await freshWallet()];
    await credited(to.path, {
      amount: usd(25),
      sources: [{ type: "", identifier: from.id, balance: "" }, { identifier: "world" }],
      reference: "",
      balance: "",
      metadata: null,
      timestamp: "2026-03-04T09:10:11.123456Z",
    });
    expect([await heldIn(from.path), await heldIn(to.path)]).toEqual([0, 25]);
    const walk = `/transactions?walletID=${to.id}`;
    const { cursor } = await okBodyOf<Cursor<{ postings: object[] }>>(inWallets(walk));
    expect(cursor.data).toMatchObject([
      {
        timestamp: "2026-03-04T09:10:11.123456Z",
        postings: [{ amount: 10 }, { amount: 15, source: "world" }],
      },
    ]);
  });

  test("a credit of a wallet with a reference that is taken is refused", async () => {
    const { path } = await freshWallet();
    const body = { amount: usd(1), reference: freshName("reference") };
    await credited(path, body);
    const refusal = await refusalOf(inWallets(`${path}/credit`, { body }));
    expect(refusal).toMatchObject({ status: 409, code: "VALIDATION" });
    expect(await heldIn(path)).toBe(1);
  });

  test.each([
    ["no body", undefined],
    ["no amount", {}],
    ["an amount of nothing", { amount: { amount: null, asset: "USD/2" } }],
    ["a fraction", { amount: { amount: 1.5, asset: "USD/2" } }],
    ["an amount as text", { amount: { amount: "1", asset: "USD/2" } }],
    ["an asset that is none", { amount: { amount: 1, asset: "test" } }],
    ["a script for an asset", { amount: { amount: 1, asset: "USD 1] (source=@world" } }],
    ["a negative amount", { amount: usd(-1) }],
    ["an unknown balance", { amount: usd(1), balance: "none" }],
    ["a balance of two segments", { amount: usd(1), balance: "a:b" }],
    ["a script for a balance", { amount: usd(1), balance: "main\n)" }],
    [
      "a source that is no address",
      { amount: usd(1), sources: [{ type: "ACCOUNT", identifier: "@xxx" }] },
    ],
    [
      "a source of two segments",
      { amount: usd(1), sources: [{ type: "WALLET", identifier: "a:b" }] },
    ],
    ["a source of holds", { amount: usd(1), sources: [{ type: "WALLET", identifier: "holds" }] }],
    [
      "a source without identifier",
      { amount: usd(1), sources: [{ type: "WALLET", identifier: "" }] },
    ],
    ["a source of another type", { amount: usd(1), sources: [{ type: "BANK", identifier: "a" }] }],
    [
      "too many sources",
      { amount: usd(1), sources: Array.from({ length: 401 }, () => ({ identifier: "world" })) },
    ],
  ])("a credit of a wallet with %s is refused", async (_, body) => {
    const { path } = refused;
    const answer = inWallets(`${path}/credit`, {
      method: "POST",
      ...(body === undefined ? {} : { body }),
    });
    expect(await refusalOf(answer)).toMatchObject(VALIDATION);
    expect(await heldIn(path)).toBe(5);
  });

  test.each(["holds", "h-olds", "a:b", "-", "a%20b"])(
    "a credit of the wallet %s is refused",
    async (id) => {
      const answer = inWallets(`/wallets/${id}/credit`, { body: { amount: usd(1) } });
      expect(await refusalOf(answer)).toMatchObject(VALIDATION);
    },
  );
});

describe("a debit", () => {
  test("a debit of a wallet takes from the balances of a list in its order, each as far as it has some", async () => {
    const { path } = await freshWallet(10);
    for (const name of ["a", "b"]) {
      await succeeded(inWallets(`${path}/balances`, { body: { name } }));
      await credited(path, { amount: usd(10), balance: name });
    }
    const body = { amount: usd(15), balances: ["b", "main", "b"] };
    await succeeded(inWallets(`${path}/debit`, { body }));
    expect(await Promise.all(["a", "b", "main"].map((name) => heldIn(path, name)))).toEqual([
      10, 0, 5,
    ]);
  });

  test("a debit of all balances of a wallet takes what expires first, then by priority, then from main", async () => {
    const { path } = await freshWallet(10);
    for (const balance of [
      { name: "urgent", priority: -1 },
      { name: "usual", priority: 3 },
      { name: "late", expiresAt: "2041-01-01T00:00:00Z", priority: 1 },
      { name: "soon", expiresAt: "2040-01-01T00:00:00Z", priority: 2 },
      { name: "past", expiresAt: "2020-01-01T00:00:00Z" },
    ]) {
      await succeeded(inWallets(`${path}/balances`, { body: balance }));
      await credited(path, { amount: usd(10), balance: balance.name });
    }
    const order = ["soon", "late", "urgent", "usual", "main"];
    for (const spent of order) {
      const body = { amount: usd(10), balances: ["*"] };
      await succeeded(inWallets(`${path}/debit`, { body }));
      expect([spent, await heldIn(path, spent)]).toEqual([spent, 0]);
    }
    const body = { amount: usd(1), balances: ["*"] };
    const refusal = { status: 400, code: "INSUFFICIENT_FUND" };
    expect(await refusalOf(inWallets(`${path}/debit`, { body }))).toMatchObject(refusal);
    const expired = { amount: usd(0), balances: ["past"] };
    expect(await refusalOf(inWallets(`${path}/debit`, { body: expired }))).toMatchObject(refusal);
    expect(await heldIn(path, "past")).toBe(10);
  });

  test("a debit of a wallet with a key takes from no balance that may not be the same next time", async () => {
    const { path } = await freshWallet(10);
    const expiresAt = "2040-01-01T00:00:00Z";
    await succeeded(inWallets(`${path}/balances`, { body: { name: "coupon", expiresAt } }));
    for (const name of ["*", "coupon"]) {
      const headers = { "Idempotency-Key": freshName() };
      const body = { amount: usd(0), balances: [name] };
      expect(await refusalOf(inWallets(`${path}/debit`, { headers, body }))).toMatchObject(
        VALIDATION,
      );
    }
  });

  test.each([
    ["no amount", {}],
    ["a negative amount", { amount: usd(-1) }],
    ["an asset that is none", { amount: { amount: 1, asset: "test" } }],
    [
      "a destination that is no address",
      { amount: usd(1), destination: { type: "ACCOUNT", identifier: "@xxx" } },
    ],
    [
      "a script for a destination",
      { amount: usd(1), destination: { type: "WALLET", identifier: "a\n)" } },
    ],
    [
      "a destination of another type",
      { amount: usd(1), destination: { type: "BANK", identifier: "a" } },
    ],
    ["all balances and one", { amount: usd(1), balances: ["*", "main"] }],
    ["an unknown balance", { amount: usd(1), balances: ["none"] }],
    ["a balance of two segments", { amount: usd(1), balances: ["a:b"] }],
    ["a hold with a date", { amount: usd(1), pending: true, timestamp: "2026-01-01T00:00:00Z" }],
    ["an expiry without a hold", { amount: usd(1), expiresAt: "2040-01-01T00:00:00Z" }],
    [
      "a hold that has expired",
      { amount: usd(1), pending: true, expiresAt: "2020-01-01T00:00:00Z" },
    ],
  ])("a debit of a wallet with %s is refused", async (_, body) => {
    const { path } = refused;
    expect(await refusalOf(inWallets(`${path}/debit`, { body }))).toMatchObject(VALIDATION);
    expect(await heldIn(path)).toBe(5);
  });

  test("a debit of a wallet whose balance somebody damaged in the ledger is refused", async () => {
    const { id, path } = await freshWallet(5);
    const body = { "wallets/id": id, "wallets/balances": "true", "wallets/balances/name": "@x\n)" };
    const account = `/accounts/${freshName("thief")}`;
    const gift = { source: "world", destination: account.slice(10), amount: 3, asset: "USD/2" };
    await succeeded(inLedger("wallets-002", "/transactions", { body: { postings: [gift] } }));
    await succeeded(inLedger("wallets-002", `${account}/metadata`, { body }));
    const debit = { amount: usd(1), balances: ["*"] };
    expect(await refusalOf(inWallets(`${path}/debit`, { body: debit }))).toMatchObject(VALIDATION);
  });
});

describe("a hold", () => {
  test("a hold of a wallet is made once by a key, with its metadata in the ledger", async () => {
    const { id, path } = await freshWallet(10);
    const init = {
      headers: { "Idempotency-Key": freshName() },
      body: { amount: usd(4), pending: true, metadata: { 'a"b': "c" }, description: "" },
    };
    const [first, again] = [
      await inWallets(`${path}/debit`, init),
      await inWallets(`${path}/debit`, init),
    ];
    expect([first.status, again.status]).toEqual([201, 201]);
    const text = await first.text();
    expect(await again.text()).toBe(text);
    const { data } = JSON.parse(text) as { data: { id: string } }; // a success has this shape
    expect(data).toEqual({
      id: data.id,
      walletID: id,
      destination: { type: "ACCOUNT", identifier: "world" },
      asset: "USD/2",
      metadata: { 'a"b': "c" },
      description: "",
    });
    const bare = data.id.replaceAll("-", "");
    const account = await okBodyOf<{ data: { metadata: object } }>(
      inLedger("wallets-002", `/accounts/wallets:holds:${bare}`),
    );
    expect(account.data.metadata).toEqual({
      "wallets/spec/type": "wallets.hold",
      "wallets/holds/id": data.id,
      "wallets/holds/wallet_id": id,
      "wallets/holds/asset": "USD/2",
      "wallets/holds/description": "",
      "wallets/holds/subject": '{"balance":"","identifier":"world","type":"ACCOUNT"}',
      destination: '{"type":"account","value":"world"}',
      void_destination: `{"type":"account","value":"wallets:${id.replaceAll("-", "")}:main"}`,
      'wallets/custom_data_a"b': "c",
    });
    expect(await heldIn(path)).toBe(6);
  });

  test("a hold of a wallet goes back to those that gave, the first one first", async () => {
    const { path } = await freshWallet(100);
    await succeeded(inWallets(`${path}/balances`, { body: { name: "promo" } }));
    await credited(path, { amount: usd(50), balance: "promo" });
    const id = await freshHold(path, { amount: usd(150), balances: ["main", "promo"] });
    await succeeded(inWallets(`/holds/${id}/confirm`, { body: { amount: 30 } }));
    await succeeded(inWallets(`/holds/${id}/void`, { method: "POST" }));
    expect([await heldIn(path), await heldIn(path, "promo")]).toEqual([100, 20]);
  });

  test("a hold of a wallet that somebody else gave to goes back to them, too", async () => {
    const { path } = await freshWallet(10);
    const id = await freshHold(path, { amount: usd(10) });
    const address = `wallets:holds:${id.replaceAll("-", "")}`;
    await credited(path, { amount: usd(7) });
    const body = { amount: usd(7), destination: { type: "ACCOUNT", identifier: address } };
    await succeeded(inWallets(`${path}/debit`, { body }));
    await succeeded(inWallets(`/holds/${id}/void`, { method: "POST" }));
    expect(await heldIn(path)).toBe(17);
  });

  test("a hold of more than 2^64 is confirmed exactly", async () => {
    const { path } = await freshWallet(2n ** 65n);
    const id = await freshHold(path, { amount: usd(2n ** 64n) });
    await succeeded(inWallets(`/holds/${id}/confirm`, { body: { amount: 2n ** 63n } }));
    const { data } = await okBodyOf<{ data: object }>(inWallets(`/holds/${id}`));
    expect(data).toMatchObject({ originalAmount: 2n ** 64n, remaining: 2n ** 63n });
  });

  test("a hold of a wallet is confirmed or voided once by a key, also when nothing is left", async () => {
    const { path } = await freshWallet(100);
    const ids = [
      await freshHold(path, { amount: usd(20) }),
      await freshHold(path, { amount: usd(20) }),
      await freshHold(path, { amount: usd(20) }),
    ];
    const calls = [
      [`/holds/${ids[0]}/confirm`, {}],
      [`/holds/${ids[1]}/confirm`, { amount: 5, final: true }],
      [`/holds/${ids[2]}/void`, undefined],
    ] as const;
    for (const [place, body] of calls) {
      const call = (key: string) =>
        inWallets(place, {
          method: "POST",
          headers: { "Idempotency-Key": key },
          ...(body === undefined ? {} : { body }),
        });
      const key = freshName();
      expect(await succeeded(call(key))).toBe(204);
      expect(await succeeded(call(key))).toBe(204);
      const closed = { status: 400, code: "HOLD_CLOSED" };
      expect(await refusalOf(call(freshName()))).toMatchObject(closed);
    }
    expect(await heldIn(path)).toBe(75);
  });

  test("a hold of a wallet is not confirmed by a negative amount or by no number", async () => {
    const { path } = await freshWallet(10);
    const id = await freshHold(path, { amount: usd(10) });
    for (const amount of [-1, "1", 1.5]) {
      const answer = inWallets(`/holds/${id}/confirm`, { body: { amount } });
      expect(await refusalOf(answer)).toMatchObject(VALIDATION);
    }
  });

  test("a hold of a wallet whose metadata somebody damaged in the ledger is none", async () => {
    const { path } = await freshWallet(10);
    const id = await freshHold(path, { amount: usd(10) });
    const account = `/accounts/wallets:holds:${id.replaceAll("-", "")}/metadata`;
    await succeeded(inLedger("wallets-002", account, { body: { "wallets/holds/subject": "{" } }));
    expect((await inWallets(`/holds/${id}`)).status).toBe(404);
    expect((await inWallets("/holds")).status).toBe(200);
  });
});
