import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { type KeyedTemplateRun, LedgerClient } from "#modules/ledger/index.ts";
import { systemContext } from "#platform/context.ts";
import { freshLedger, logIdsOf, objectOf } from "#test/support/ledger/api.ts";
import { DEPOSIT, ledgerWith, USERS_CHART } from "#test/support/ledger/schema-api.ts";
import { freshName } from "#test/support/platform/api.ts";

const clientOf = (name: string): LedgerClient => new LedgerClient(systemContext(env, "test"), name);

/** Creates a ledger where alice has 100 USD. Returns its name and a client. */
async function funded(): Promise<{ name: string; ledger: LedgerClient }> {
  const name = await freshLedger();
  const ledger = clientOf(name);
  await ledger.commit({ postings: [usd("world -> alice", 100n)] }, { idempotencyKey: undefined });
  return { name, ledger };
}

function usd(way: string, amount: bigint) {
  const [source = "", destination = ""] = way.split(" -> ");
  return { source, destination, amount, asset: "USD" };
}

const key = () => ({ idempotencyKey: freshName("test") });

describe("a transaction template", () => {
  const withTemplate = async (): Promise<LedgerClient> =>
    clientOf(
      await ledgerWith({
        chart: USERS_CHART,
        transactions: { deposit: { description: "A deposit", script: DEPOSIT } },
      }),
    );
  const v1 = () => ({ ...key(), schemaVersion: "v1" });

  test("a transaction template says which variables it wants, and moves what they say, once for a key", async () => {
    const ledger = await withTemplate();
    expect(await ledger.template("deposit", "v1")).toEqual({
      variables: { amount: "monetary", to: "account" },
    });
    const run = { template: "deposit", vars: { amount: "USD/2 100", to: "users:1:main" } };
    const write = v1();
    const first = await ledger.runTemplate({ ...run, reference: "deposit-1" }, write);
    expect(await ledger.runTemplate({ ...run, reference: "deposit-1" }, write)).toEqual(first);
    expect(await ledger.balance("users:1:main", "USD/2")).toBe(100n);
  });

  test("transaction templates run in one call up to the first one that fails", async () => {
    const ledger = await withTemplate();
    const run = (index: number, amount = "USD/2 100"): KeyedTemplateRun => ({
      template: "deposit",
      vars: { amount, to: `users:${index}:main` },
      idempotencyKey: `run-${index}`,
      causationDepth: 0,
    });
    const version = { schemaVersion: "v1" };
    expect(await ledger.runTemplates([run(1), run(2)], version)).toEqual({ executed: 2 });
    const runs = [run(1), run(3), run(4, "no amount"), run(5)];
    const { executed, failure } = await ledger.runTemplates(runs, version);
    expect([executed, failure?.kind]).toEqual([2, "COMPILATION_FAILED"]);
    expect((await ledger.account("users:3:main")).volumes).toEqual({
      "USD/2": { input: 100n, output: 0n, balance: 100n },
    });
    await expect(ledger.account("users:5:main")).rejects.toMatchObject({ kind: "NOT_FOUND" });
  });

  test("variables and metadata of a template that runs in one call may be called bigint", async () => {
    const script =
      "vars {\n monetary $bigint\n}\nsend $bigint (\n source = @world\n destination = @users:1:main\n)";
    const ledger = clientOf(
      await ledgerWith({
        chart: USERS_CHART,
        transactions: { deposit: { description: "A deposit", script } },
      }),
    );
    const run: KeyedTemplateRun = {
      template: "deposit",
      vars: { bigint: "USD/2 100" },
      metadata: { bigint: "5" },
      idempotencyKey: "bigint",
    };
    expect(await ledger.runTemplates([run], { schemaVersion: "v1" })).toEqual({ executed: 1 });
    const [transaction] = await Array.fromAsync(ledger.transactions());
    expect(transaction?.metadata).toEqual({ bigint: "5" });
    expect(await ledger.balance("users:1:main", "USD/2")).toBe(100n);
  });

  test("a transaction template may move nothing", async () => {
    const ledger = await withTemplate();
    const vars = { amount: "USD/2 0", to: "users:1:main" };
    const transaction = await ledger.runTemplate({ template: "deposit", vars }, v1());
    expect(transaction.postings).toMatchObject([{ amount: 0n }]);
  });

  test("a transaction template has to exist, in a version that exists", async () => {
    const ledger = await withTemplate();
    for (const [name, version] of [
      ["withdrawal", "v1"],
      ["deposit", "v2"],
    ] as const) {
      await expect(ledger.template(name, version)).rejects.toMatchObject({ kind: "NOT_FOUND" });
    }
    await expect(ledger.runTemplate({ template: "withdrawal" }, v1())).rejects.toMatchObject({
      kind: "VALIDATION",
    });
  });
});

describe("a commit", () => {
  test("a commit moves amounts of any size, and answers the whole transaction", async () => {
    const { ledger } = await funded();
    const amount = 10n ** 60n + 7n;
    const transaction = await ledger.commit(
      {
        postings: [usd("world -> bank", amount)],
        metadata: { kind: "opening" },
        reference: "opening-1",
        timestamp: "2026-03-01T09:30:00.000001Z",
        accountMetadata: { bank: { country: "CH" } },
      },
      key(),
    );
    expect(transaction).toMatchObject({
      id: 2,
      postings: [usd("world -> bank", amount)],
      metadata: { kind: "opening" },
      reference: "opening-1",
      timestamp: "2026-03-01T09:30:00.000001Z",
      reverted: false,
    });
    expect(await ledger.balance("bank", "USD")).toBe(amount);
    expect((await ledger.account("bank")).metadata).toEqual({ country: "CH" });
  });

  test("a commit that overdraws an account is refused, and changes nothing", async () => {
    const { name, ledger } = await funded();
    await expect(
      ledger.commit({ postings: [usd("alice -> bob", 101n)] }, key()),
    ).rejects.toMatchObject({ kind: "INSUFFICIENT_FUND" });
    expect(await logIdsOf(name)).toEqual([1]);
    expect(await ledger.balance("alice", "USD")).toBe(100n);
  });

  test("a commit may overdraw an account by force", async () => {
    const { ledger } = await funded();
    await ledger.commit({ postings: [usd("alice -> bob", 101n)], force: true }, key());
    expect(await ledger.balance("alice", "USD")).toBe(-1n);
  });

  test("a commit that was refused for want of funds succeeds with the same key once they are there", async () => {
    const { ledger } = await funded();
    const payment = { postings: [usd("alice -> bob", 150n)] };
    const write = key();
    await expect(ledger.commit(payment, write)).rejects.toMatchObject({
      kind: "INSUFFICIENT_FUND",
    });
    await ledger.commit({ postings: [usd("world -> alice", 50n)] }, key());
    await ledger.commit(payment, write);
    expect(await ledger.balance("alice", "USD")).toBe(0n);
  });

  test("a commit with a reference that is taken is a conflict", async () => {
    const { name, ledger } = await funded();
    const payment = { postings: [usd("world -> bob", 1n)], reference: "payment-1" };
    await ledger.commit(payment, key());
    await expect(ledger.commit(payment, key())).rejects.toMatchObject({ kind: "CONFLICT" });
    expect(await logIdsOf(name)).toHaveLength(2);
  });

  test.each([
    ["a bad address", { postings: [usd("no such -> bob", 1n)] }, "VALIDATION"],
    ["a negative amount", { postings: [usd("world -> bob", -1n)] }, "VALIDATION"],
    [
      "an amount beyond 1,000 digits",
      { postings: [usd("world -> bob", 10n ** 1000n)] },
      "VALIDATION",
    ],
    ["an invalid date", { postings: [usd("world -> b", 1n)], timestamp: "today" }, "VALIDATION"],
    ["no posting", { postings: [] }, "NO_POSTINGS"],
  ])("a commit with %s is refused", async (_, transaction, kind) => {
    const { name, ledger } = await funded();
    await expect(ledger.commit(transaction, key())).rejects.toMatchObject({ kind });
    expect(await logIdsOf(name)).toEqual([1]);
  });

  test("a commit names the schema whose rules it follows", async () => {
    const { ledger } = await funded();
    await expect(
      ledger.commit({ postings: [usd("world -> bob", 1n)] }, { ...key(), schemaVersion: "v1" }),
    ).rejects.toMatchObject({ kind: "NOT_FOUND" });
  });
});

describe("a run", () => {
  const script = `
    vars {
      monetary $price
      account $buyer
    }
    send $price (
      source = $buyer
      destination = {
        1/10 to @fees
        remaining to @shop
      }
    )`;

  test("a run of a script moves what its script says, with variables of any kind", async () => {
    const { ledger } = await funded();
    const amount = 10n ** 30n;
    await ledger.commit({ postings: [usd("world -> alice", amount)] }, key());
    const transaction = await ledger.run(
      {
        script,
        vars: { price: { asset: "USD", amount }, buyer: "alice" },
        metadata: { order: "7" },
      },
      key(),
    );
    expect(transaction.metadata).toEqual({ order: "7" });
    expect(transaction.postings).toEqual([
      usd("alice -> fees", amount / 10n),
      usd("alice -> shop", amount - amount / 10n),
    ]);
    expect(await ledger.balance("alice", "USD")).toBe(100n);
  });

  test("a run of a script that overdraws an account is refused, and changes nothing", async () => {
    const { name, ledger } = await funded();
    const vars = { price: "USD 101", buyer: "alice" };
    await expect(ledger.run({ script, vars }, key())).rejects.toMatchObject({
      kind: "INSUFFICIENT_FUND",
    });
    expect(await logIdsOf(name)).toEqual([1]);
  });

  test("a run of a script uses the runtime that it names", async () => {
    const { ledger } = await funded();
    const broken = "send [USD 1] (source = @world";
    await expect(ledger.run({ script: broken, runtime: "machine" }, key())).rejects.toMatchObject({
      kind: "COMPILATION_FAILED",
    });
    await expect(
      ledger.run({ script: broken, runtime: "experimental-interpreter" }, key()),
    ).rejects.toMatchObject({ kind: "INTERPRETER_PARSE" });
  });

  test("a run of no script is refused", async () => {
    const { ledger } = await funded();
    await expect(ledger.run({ script: "" }, key())).rejects.toMatchObject({ kind: "NO_POSTINGS" });
  });
});

describe("saved metadata", () => {
  test("saved metadata is merged into what an account or a transaction has", async () => {
    const { ledger } = await funded();
    const alice = { targetType: "ACCOUNT", targetId: "alice" } as const;
    await ledger.saveMetadata(alice, { name: "Alice", __proto__x: "1" }, key());
    await ledger.saveMetadata(alice, { name: "Alicia" }, key());
    await ledger.saveMetadata({ targetType: "TRANSACTION", targetId: 1 }, { seen: "yes" }, key());
    expect((await ledger.account("alice")).metadata).toEqual({ name: "Alicia", __proto__x: "1" });
    const { data } = await ledger.transactions().page();
    expect(data.map(({ metadata }) => metadata)).toEqual([{ seen: "yes" }]);
  });

  test.each([
    ["an unknown transaction", { targetType: "TRANSACTION", targetId: 9 }, "NOT_FOUND"],
    ["a bad address", { targetType: "ACCOUNT", targetId: "a b" }, "VALIDATION"],
  ] as const)("saved metadata of %s is refused", async (_, target, kind) => {
    const { name, ledger } = await funded();
    await expect(ledger.saveMetadata(target, { a: "b" }, key())).rejects.toMatchObject({ kind });
    expect(await logIdsOf(name)).toEqual([1]);
  });

  test("saved metadata beyond 64 KiB is refused", async () => {
    const { ledger } = await funded();
    const target = { targetType: "ACCOUNT", targetId: "alice" } as const;
    await expect(
      ledger.saveMetadata(target, { text: "x".repeat(65_536) }, key()),
    ).rejects.toMatchObject({ kind: "VALIDATION" });
    expect((await ledger.account("alice")).metadata).toEqual({});
  });
});

describe("a write with a key happens once:", () => {
  const target = { targetType: "ACCOUNT", targetId: "alice" } as const;
  const script = "send [USD 1] (\n source = @alice\n destination = @bob\n)";
  const WRITES: [string, (ledger: LedgerClient, write: { idempotencyKey: string }) => unknown][] = [
    ["a commit", (ledger, write) => ledger.commit({ postings: [usd("alice -> bob", 1n)] }, write)],
    ["a run", (ledger, write) => ledger.run({ script }, write)],
    ["saved metadata", (ledger, write) => ledger.saveMetadata(target, { a: "b" }, write)],
  ];

  test.each(WRITES)("a write with a key happens once: %s, repeated", async (_, send) => {
    const { name, ledger } = await funded();
    const write = key();
    const first = await send(ledger, write);
    await ledger.commit({ postings: [usd("alice -> world", 50n)] }, key());
    expect(await send(ledger, write)).toEqual(first);
    expect(await logIdsOf(name)).toEqual([1, 2, 3]);
  });

  test.each(WRITES)("a write with a key happens once: %s, ten at once", async (_, send) => {
    const { name, ledger } = await funded();
    const write = key();
    const all = await Promise.all(Array.from({ length: 10 }, () => send(ledger, write)));
    expect(all).toEqual(all.map(() => all[0]));
    expect(await logIdsOf(name)).toEqual([1, 2]);
  });

  test.each(WRITES)(
    "a write with a key happens once: %s, by another isolate, once the ledger has left memory",
    async (_, send) => {
      const { name, ledger } = await funded();
      const write = key();
      const first = await send(ledger, write);
      await evictDurableObject(objectOf(name));
      expect(await send(clientOf(name), write)).toEqual(first);
      expect(await logIdsOf(name)).toEqual([1, 2]);
    },
  );

  test("another write of any kind with its key is refused", async () => {
    const { name, ledger } = await funded();
    const write = key();
    await ledger.commit({ postings: [usd("alice -> bob", 1n)] }, write);
    const others = await Promise.allSettled([
      ledger.commit({ postings: [usd("alice -> bob", 2n)] }, write),
      ledger.run({ script }, write),
      ledger.saveMetadata(target, { a: "b" }, write),
    ]);
    expect(others).toMatchObject(
      others.map(() => ({ status: "rejected", reason: { kind: "VALIDATION" } })),
    );
    expect(await logIdsOf(name)).toEqual([1, 2]);
  });

  test("a write without a key happens as often as it is sent", async () => {
    const { ledger } = await funded();
    const payment = { postings: [usd("alice -> bob", 1n)] };
    await ledger.commit(payment, { idempotencyKey: undefined });
    await ledger.commit(payment, { idempotencyKey: undefined });
    expect(await ledger.balance("bob", "USD")).toBe(2n);
  });

  test.each([
    ["empty", ""],
    ["longer than 255 characters", "x".repeat(256)],
  ])("a key that is %s is refused", async (_, idempotencyKey) => {
    const { name, ledger } = await funded();
    await expect(
      ledger.commit({ postings: [usd("alice -> bob", 1n)] }, { idempotencyKey }),
    ).rejects.toMatchObject({ kind: "VALIDATION" });
    expect(await logIdsOf(name)).toEqual([1]);
  });

  test("two payments at once with money for only one: one of them is refused", async () => {
    const { ledger } = await funded();
    const payment = { postings: [usd("alice -> bob", 60n)] };
    const both = await Promise.allSettled([
      ledger.commit(payment, key()),
      ledger.commit(payment, key()),
    ]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
    expect(await ledger.balance("alice", "USD")).toBe(40n);
  });
});
