import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { systemContext } from "#platform/context.ts";
import { freshLedger, objectOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";

const clientOf = (name: string): LedgerClient => new LedgerClient(systemContext(env, "test"), name);

const LARGE = 2n ** 80n;
const DATES = ["2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z", "2026-03-01T00:00:00Z"];

/** The ledger, in which each of the users 1 to 3 received money on a date of its own, user 3 in two assets. */
let name = "";
beforeAll(async () => {
  name = await freshLedger();
  const ledger = clientOf(name);
  for (const [index, timestamp] of DATES.entries()) {
    const user = `users:${index + 1}`;
    const posting = { source: "world", destination: user, amount: LARGE + BigInt(index) };
    await ledger.commit(
      {
        postings: [
          { ...posting, asset: "USD/2" },
          ...(index === 2 ? [{ ...posting, asset: "BTC/8" }] : []),
        ],
        timestamp,
        metadata: { parity: index % 2 === 0 ? "even" : "odd" },
        accountMetadata: { [user]: { parity: index % 2 === 0 ? "even" : "odd" } },
      },
      { idempotencyKey: `test-${index}` },
    );
  }
});

describe("an account", () => {
  test("an account has its metadata and exact volumes", async () => {
    const account = await clientOf(name).account("users:3");
    const volumes = { input: LARGE + 2n, output: 0n, balance: LARGE + 2n };
    expect(account).toMatchObject({
      address: "users:3",
      metadata: { parity: "even" },
      firstUsage: DATES[2],
      volumes: { "USD/2": volumes, "BTC/8": volumes },
    });
  });

  test("an account that nothing has named is not found", async () => {
    await expect(clientOf(name).account("users:4")).rejects.toMatchObject({ kind: "NOT_FOUND" });
  });

  test("an account has volumes in a ledger that keeps no history of moves, too", async () => {
    const ledger = clientOf(freshName("ledger"));
    await ledger.create({
      features: {
        MOVES_HISTORY: "OFF",
        MOVES_HISTORY_POST_COMMIT_EFFECTIVE_VOLUMES: "DISABLED",
      },
    });
    const postings = [{ source: "world", destination: "a", amount: 7n, asset: "USD" }];
    await ledger.commit({ postings }, { idempotencyKey: undefined });
    expect(await ledger.balance("a", "USD")).toBe(7n);
    const [first] = await Array.fromAsync(ledger.accounts({ where: { $match: { address: "a" } } }));
    expect(first?.volumes).toEqual({ USD: { input: 7n, output: 0n, balance: 7n } });
  });
});

describe("a balance", () => {
  test.each([
    ["users:1", "USD/2", LARGE],
    ["world", "BTC/8", -(LARGE + 2n)],
    ["users:1", "BTC/8", 0n],
    ["users:4", "USD/2", 0n],
  ])("the balance of %s in %s is exact", async (address, asset, balance) => {
    expect(await clientOf(name).balance(address, asset)).toBe(balance);
  });
});

describe("aggregated balances", () => {
  test("aggregated balances sum the accounts that a filter matches", async () => {
    const ledger = clientOf(name);
    expect(await ledger.aggregateBalances({ where: { $match: { address: "users:" } } })).toEqual({
      "BTC/8": LARGE + 2n,
      "USD/2": LARGE * 3n + 3n,
    });
    expect(await ledger.aggregateBalances()).toEqual({ "BTC/8": 0n, "USD/2": 0n });
  });

  test("aggregated balances go by effective dates at a point in time", async () => {
    const where = { $match: { address: "users:" } };
    expect(await clientOf(name).aggregateBalances({ where, pit: DATES[1] })).toEqual({
      "USD/2": LARGE * 2n + 1n,
    });
  });
});

describe("balances by account", () => {
  test("balances by account add up to the aggregated ones, now and by effective dates", async () => {
    const ledger = clientOf(name);
    const where = { $match: { address: "users:" } };
    for (const scope of [{ where }, { where, pit: DATES[1] }, {}]) {
      const sums: Record<string, bigint> = {};
      for await (const { asset, balance } of ledger.balancesByAccount(scope)) {
        sums[asset] = (sums[asset] ?? 0n) + balance;
      }
      expect(sums).toEqual(await ledger.aggregateBalances(scope));
    }
  });

  test("balances by account are read in pages, in the order of addresses", async () => {
    const list = clientOf(name).balancesByAccount();
    const whole = await Array.fromAsync(list);
    expect(whole.length).toBeGreaterThan(2);
    const paged: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { data, next } = await list.page({ pageSize: 1, cursor });
      paged.push(...data);
      cursor = next;
    } while (cursor !== undefined);
    expect(paged).toEqual(whole);
  });
});

describe("a list", () => {
  test("a list of transactions goes from the oldest to the newest, or back", async () => {
    const ledger = clientOf(name);
    const ids = (list: readonly { id: number }[]): number[] => list.map(({ id }) => id);
    expect(ids(await Array.fromAsync(ledger.transactions()))).toEqual([1, 2, 3]);
    expect(ids(await Array.fromAsync(ledger.transactions({ order: "desc" })))).toEqual([3, 2, 1]);
    const where = { $match: { "metadata[parity]": "even" } };
    expect(ids(await Array.fromAsync(ledger.transactions({ where })))).toEqual([1, 3]);
    expect(ids(await Array.fromAsync(ledger.transactions({ pit: DATES[1] })))).toEqual([1, 2]);
  });

  test("a list of accounts goes by addresses, and shows their volumes", async () => {
    const where = { $match: { "metadata[parity]": "even" } };
    const accounts = await Array.fromAsync(clientOf(name).accounts({ where, order: "desc" }));
    expect(accounts.map(({ address, volumes }) => [address, volumes["USD/2"]?.balance])).toEqual([
      ["users:3", LARGE + 2n],
      ["users:1", LARGE],
    ]);
  });

  test("a list is read a page at a time, in both directions, by cursors that hold its options", async () => {
    const where = { $match: { address: "users:" } };
    const first = await clientOf(name).accounts({ where }).page({ pageSize: 2 });
    expect([first.data.map(({ address }) => address), first.hasMore, first.previous]).toEqual([
      ["users:1", "users:2"],
      true,
      undefined,
    ]);
    await evictDurableObject(objectOf(name));
    const list = clientOf(name).accounts();
    const second = await list.page({ cursor: first.next });
    expect([second.data.map(({ address }) => address), second.hasMore, second.next]).toEqual([
      ["users:3"],
      false,
      undefined,
    ]);
    const back = await list.page({ cursor: second.previous });
    expect(back.data).toEqual(first.data);
  });

  test("a list refuses a cursor of another list or ledger", async () => {
    const { next } = await clientOf(name).accounts().page({ pageSize: 1 });
    const other = clientOf(await freshLedger());
    const pages = await Promise.allSettled([
      clientOf(name).transactions().page({ cursor: next }),
      other.accounts().page({ cursor: next }),
      other.accounts().page({ cursor: "nonsense" }),
    ]);
    expect(pages).toMatchObject(
      pages.map(() => ({ status: "rejected", reason: { kind: "VALIDATION" } })),
    );
  });

  test.each([0, -1, 1.5, Number.NaN])("a list refuses a page of %s items", async (pageSize) => {
    const page = clientOf(name).accounts().page({ pageSize });
    await expect(page).rejects.toMatchObject({ kind: "VALIDATION" });
  });

  test.each([
    ["an unknown key", { where: { $match: { colour: "red" } } }],
    ["an unknown operator", { where: { $near: { address: "a" } } }],
    ["an invalid point in time", { pit: "yesterday" }],
  ])("a list refuses %s", async (_, options) => {
    const list = clientOf(name).accounts(options);
    await expect(list.page()).rejects.toMatchObject({ kind: "VALIDATION" });
    await expect(Array.fromAsync(list)).rejects.toMatchObject({ kind: "VALIDATION" });
  });
});

describe("a walk over 10,000 accounts", () => {
  const COUNT = 10_000;
  const POSTINGS = 1000;
  let wide = "";
  beforeAll(async () => {
    wide = await freshLedger();
    for (let done = 0; done < COUNT; done += POSTINGS) {
      const postings = Array.from({ length: POSTINGS }, (_, index) => ({
        source: "world",
        destination: `users:${String(done + index).padStart(5, "0")}`,
        amount: BigInt(done + index),
        asset: "USD",
      }));
      await clientOf(wide).commit({ postings }, { idempotencyKey: `test-${done}` });
    }
  });

  const where = { $match: { address: "users:" } };

  test("a walk over 10,000 accounts gives each once and in order, although the ledger is evicted and grows meanwhile", async () => {
    const seen: string[] = [];
    let sum = 0n;
    for await (const { address, volumes } of clientOf(wide).accounts({ where })) {
      seen.push(address);
      sum += volumes["USD"]?.balance ?? 0n;
      if (seen.length === 3000) await evictDurableObject(objectOf(wide));
      if (seen.length === 6000) {
        const postings = [{ source: "world", destination: "a:new", amount: 1n, asset: "USD" }];
        await clientOf(wide).commit({ postings }, { idempotencyKey: "test-new" });
      }
    }
    expect(seen).toHaveLength(COUNT);
    expect(seen).toEqual([...new Set(seen)].toSorted());
    expect(sum).toBe((BigInt(COUNT) * BigInt(COUNT - 1)) / 2n);
  });

  test("a walk over 10,000 accounts stops where its caller does", async () => {
    const walk = clientOf(wide).accounts({ where })[Symbol.asyncIterator]();
    const first = await walk.next();
    expect(first.value).toMatchObject({ address: "users:00000" });
    expect(await walk.return?.()).toEqual({ done: true, value: undefined });
    expect(await walk.next()).toEqual({ done: true, value: undefined });
  });

  test("a walk over 10,000 accounts goes by pages of 1,000 at most", async () => {
    const { data, pageSize } = await clientOf(wide).accounts({ where }).page({ pageSize: 5000 });
    expect([data.length, pageSize]).toEqual([1000, 1000]);
  });
});

test("a deleted ledger cannot be read until its bucket is restored", async () => {
  const [fresh, bucket] = [freshName("ledger"), freshName("bucket")];
  const ledger = clientOf(fresh);
  await ledger.create({ bucket });
  const postings = [{ source: "world", destination: "a", amount: 1n, asset: "USD" }];
  await ledger.commit({ postings }, { idempotencyKey: "test-1" });
  await api(`/api/ledger/v2/_/buckets/${bucket}`, { method: "DELETE" });
  await expect(ledger.balance("a", "USD")).rejects.toMatchObject({ kind: "LEDGER_NOT_FOUND" });
  await expect(ledger.commit({ postings }, { idempotencyKey: "test-1" })).rejects.toMatchObject({
    kind: "LEDGER_NOT_FOUND",
  });
  await api(`/api/ledger/v2/_/buckets/${bucket}/restore`, { method: "POST" });
  expect(await ledger.balance("a", "USD")).toBe(1n);
  expect((await ledger.commit({ postings }, { idempotencyKey: "test-1" })).id).toBe(1);
});
