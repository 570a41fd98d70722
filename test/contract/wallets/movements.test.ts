import { evictDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { sweepHolds } from "#modules/wallets/holds/expire.ts";
import { planExpiry } from "#modules/wallets/holds/store.ts";
import {
  confirmHold,
  createBalance,
  createWallet,
  creditWallet,
  debitWallet,
  getBalance,
  getHold,
  listBalances,
  type NewDebit,
  summarizeWallet,
  voidHold,
} from "#modules/wallets/index.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { clockOf } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { inLedger, okBodyOf } from "#test/support/ledger/api.ts";
import { api, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { BALANCES, type Step, steps, WalletModel } from "#test/support/wallets/model.ts";

const LEDGER = "wallets-002";
const ASSET = "USD/2";
const usd = (amount: number) => ({ amount: BigInt(amount), asset: ASSET });
const UNKEYED = { idempotencyKey: undefined };
const system = systemContext(env, "test");

/** A context with a time of its own, far from the present, so that the sweeps of the deployment find nothing to do. */
class TestTime {
  readonly #startMs: number;
  seconds = 0;
  readonly context: ServiceContext;

  constructor() {
    TestTime.#count++;
    this.#startMs = Date.UTC(2100, 0, 1) - TestTime.#count * 86_400_000;
    this.context = { ...system, clock: () => this.at(this.seconds) };
  }

  static #count = 0;

  at(seconds: number): Timestamp {
    return fromMillis(this.#startMs + seconds * 1000);
  }
}

const newWallet = async (context: ServiceContext, amount = 0): Promise<string> => {
  const { id } = await createWallet(context, { name: "", metadata: {}, ...UNKEYED });
  if (amount > 0) await creditWallet(context, { walletId: id, ...usd(amount), ...UNKEYED });
  return id;
};

const mainOf = async (context: ServiceContext, walletId: string): Promise<bigint> => {
  const { assets } = await getBalance(context, { walletId, name: "main" });
  return assets[ASSET] ?? 0n;
};

const newHold = async (
  context: ServiceContext,
  debit: Omit<NewDebit, "asset" | "amount" | "idempotencyKey"> & { idempotencyKey?: string },
  amount: number,
): Promise<string> => {
  const { hold } = await debitWallet(context, {
    idempotencyKey: undefined,
    ...debit,
    ...usd(amount),
    pending: true,
  });
  return hold?.id ?? "";
};

/** The error kind with which a call fails; undefined for a success. */
async function kindOf(call: Promise<unknown>): Promise<string | undefined> {
  try {
    await call;
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.kind;
    throw error;
  }
}

describe("wallets do as a model of them, whatever comes", () => {
  /** Applies a step to the wallet. Returns the kind of its failure. */
  async function execute(
    time: TestTime,
    { walletId, holds }: { walletId: string; holds: string[] },
    step: Step,
  ): Promise<string | undefined> {
    const { context } = time;
    switch (step.kind) {
      case "credit":
        return kindOf(
          creditWallet(context, {
            walletId,
            ...usd(step.amount),
            balance: step.balance,
            ...UNKEYED,
          }),
        );
      case "debit": {
        const debit = { walletId, ...usd(step.amount), balances: step.balances, ...UNKEYED };
        if (step.hold === undefined) return kindOf(debitWallet(context, debit));
        const expiresAt = step.hold === 0 ? {} : { expiresAt: time.at(time.seconds + step.hold) };
        return kindOf(
          debitWallet(context, { ...debit, pending: true, ...expiresAt }).then(({ hold }) =>
            holds.push(hold?.id ?? ""),
          ),
        );
      }
      case "confirm":
        return kindOf(
          confirmHold(context, {
            holdId: holds[step.hold] ?? "none",
            amount: step.amount === 0 ? undefined : BigInt(step.amount),
            isFinal: step.isFinal,
            ...UNKEYED,
          }),
        );
      case "void":
        return kindOf(voidHold(context, { holdId: holds[step.hold] ?? "none", ...UNKEYED }));
      case "pass":
        return undefined;
      case "sweep":
        await sweepHolds(context);
        return undefined;
    }
  }

  test("wallets do as a model of them: balances and holds are as they should be, and money is conserved", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (sequence) => {
        const time = new TestTime();
        const walletId = await newWallet(time.context);
        for (const { name, expiresAt, priority } of BALANCES) {
          if (name === "main") continue;
          const expiry = expiresAt === undefined ? {} : { expiresAt: time.at(expiresAt) };
          const balance = { walletId, name, priority: BigInt(priority), ...expiry, ...UNKEYED };
          await createBalance(time.context, balance);
        }
        const model = new WalletModel();
        const wallet = { walletId, holds: [] as string[] };
        for (const step of sequence) {
          const failure = await execute(time, wallet, step);
          expect([step, failure]).toEqual([step, model.do(step)]);
          time.seconds = model.now;
        }
        await compare(time.context, wallet, model);
      }),
      { numRuns: 10 },
    );
  });

  async function compare(
    context: ServiceContext,
    { walletId, holds }: { walletId: string; holds: readonly string[] },
    model: WalletModel,
  ): Promise<void> {
    const { balances, holdFunds } = await summarizeWallet(context, walletId);
    const held = balances.map(({ name, assets }) => [name, Number(assets[ASSET] ?? 0n)] as const);
    expect(new Map(held)).toEqual(model.held);
    const states = await Promise.all(holds.map((id) => getHold(context, id)));
    expect(
      states.map(({ originalAmount, remaining }) => [Number(originalAmount), Number(remaining)]),
    ).toEqual(model.holds.map(({ amount, remaining }) => [amount, remaining]));
    const sum = held.reduce((total, [, amount]) => total + amount, Number(holdFunds[ASSET] ?? 0n));
    expect(sum).toBe(model.total);
  }
});

describe("clients of wallets at once", () => {
  const at16 = <T>(call: (place: number) => Promise<T>) =>
    Promise.all(Array.from({ length: 16 }, (_, place) => call(place)));

  test("clients that pay from a wallet at once are paid as far as there is money", async () => {
    const walletId = await newWallet(system, 100);
    const kinds = await at16(() =>
      kindOf(debitWallet(system, { walletId, ...usd(10), ...UNKEYED })),
    );
    expect(kinds.filter((kind) => kind === undefined)).toHaveLength(10);
    expect(new Set(kinds)).toEqual(new Set([undefined, "INSUFFICIENT_FUND"]));
    expect(await mainOf(system, walletId)).toBe(0n);
  });

  test("a hold is closed by one of several clients at once, and parts of it are confirmed as far as it goes", async () => {
    const walletId = await newWallet(system, 100);
    const [first, second] = [
      await newHold(system, { walletId }, 50),
      await newHold(system, { walletId }, 50),
    ];
    const closing = await at16((place) =>
      kindOf(
        place % 2 === 0
          ? confirmHold(system, { holdId: first, ...UNKEYED })
          : voidHold(system, { holdId: first, ...UNKEYED }),
      ),
    );
    expect(closing.filter((kind) => kind === undefined)).toHaveLength(1);
    expect(new Set(closing)).toEqual(new Set([undefined, "HOLD_CLOSED"]));
    await at16((place) =>
      kindOf(
        place === 8
          ? voidHold(system, { holdId: second, ...UNKEYED })
          : confirmHold(system, { holdId: second, amount: 4n, ...UNKEYED }),
      ),
    );
    const { remaining } = await getHold(system, second);
    expect(remaining).toBe(0n);
  });

  test("clients at once with one key all have the same wallet, balance, credit and hold", async () => {
    const key = { idempotencyKey: freshName("key") };
    const wallets = await at16(() => createWallet(system, { name: "a", metadata: {}, ...key }));
    for (const wallet of wallets) expect(wallet).toEqual(wallets[0]);
    const walletId = wallets[0]?.id ?? "";
    await at16(() => creditWallet(system, { walletId, ...usd(10), ...key }));
    expect(await mainOf(system, walletId)).toBe(10n);
    const holdKey = { idempotencyKey: freshName("key") };
    const holds = await at16(() => newHold(system, { walletId, ...holdKey }, 4));
    expect(new Set(holds).size).toBe(1);
    const confirmation = { holdId: holds[0] ?? "", idempotencyKey: freshName("key") };
    await at16(() => confirmHold(system, confirmation));
    expect(await mainOf(system, walletId)).toBe(6n);
    await at16(() => createBalance(system, { walletId, name: "b", priority: 1n, ...key }));
  });

  test("a balance is created by one of several clients at once, and the others hear that it exists", async () => {
    const walletId = await newWallet(system);
    const kinds = await at16((place) =>
      kindOf(
        createBalance(system, {
          walletId,
          name: "b",
          priority: BigInt(place),
          idempotencyKey: `${walletId}/${place}`,
        }),
      ),
    );
    expect(kinds.filter((kind) => kind === undefined)).toHaveLength(1);
    const { data } = await listBalances(system, { walletId });
    expect(data[0]?.priority).toBe(BigInt(kinds.indexOf(undefined)));
  });
});

describe("a principal of wallets", () => {
  const principal = { ...system.principal, issuer: "test", subject: "alice", clientId: "app" };

  test("movements of wallets are written in the ledger as those of the principal that the token names", async () => {
    const walletId = await newWallet(system);
    const context = { ...system, principal };
    await creditWallet(context, { walletId, ...usd(1), ...UNKEYED });
    const logs = await okBodyOf<{ cursor: { data: { id: number }[] } }>(
      inLedger(LEDGER, "/logs?pageSize=1"),
    );
    const [last] = logs.cursor.data;
    const path = `/api/florin/v1/ledgers/${LEDGER}/logs/${last?.id}/author`;
    expect(await okBodyOf(api(path))).toMatchObject({
      data: { issuer: "test", subject: "alice", clientId: "app" },
    });
  });

  test("a principal that is bound to other ledgers reads and moves nothing", async () => {
    const walletId = await newWallet(system);
    const bound = { ...system, principal: { ...principal, ledgers: ["other"] } };
    const calls = [
      () => getBalance(bound, { walletId, name: "main" }),
      () => creditWallet(bound, { walletId, ...usd(1), ...UNKEYED }),
      () => debitWallet(bound, { walletId, ...usd(0), ...UNKEYED }),
      () => listBalances(bound, { walletId }),
    ];
    for (const call of calls) expect(await kindOf(call())).toBe("UNAUTHENTICATED");
    const allowed = { ...bound, principal: { ...principal, ledgers: ["other", LEDGER] } };
    expect(await mainOf(allowed, walletId)).toBe(0n);
  });
});

describe("a hold that expires", () => {
  const rowsOf = async (ledger: string, holdId: string) => {
    const text = "SELECT * FROM wallet_hold_expiries WHERE ledger = ? AND hold_id = ?";
    return (await env.DB.prepare(text).bind(ledger, holdId).all()).results;
  };

  test("a hold that expires is voided once, by the clock of the deployment", async () => {
    const walletId = await newWallet(system, 10);
    const expiresAt = fromMillis(Date.now() + 400);
    const holdId = await newHold(system, { walletId, expiresAt }, 10);
    await evictDurableObject(clockOf(env, "wallet-holds"));
    await eventually(async () => expect((await getHold(system, holdId)).remaining).toBe(0n));
    expect(await mainOf(system, walletId)).toBe(10n);
    const source = `wallets:holds:${holdId.replaceAll("-", "")}`;
    const { data } = await new LedgerClient(system, LEDGER)
      .transactions({ where: { $match: { source } } })
      .page();
    expect(data).toHaveLength(1);
  });

  test("a hold that expires is not confirmed any more, and a repetition says what the first request has", async () => {
    const time = new TestTime();
    const walletId = await newWallet(time.context, 10);
    const making = { walletId, expiresAt: time.at(60), idempotencyKey: freshName("key") };
    const holdId = await newHold(time.context, making, 10);
    const part = { holdId, amount: 3n, idempotencyKey: freshName("key") };
    await confirmHold(time.context, part);
    time.seconds = 60;
    expect(await kindOf(confirmHold(time.context, { holdId, ...UNKEYED }))).toBe("HOLD_CLOSED");
    expect(await mainOf(time.context, walletId)).toBe(7n);
    await confirmHold(time.context, part);
    expect(await newHold(time.context, making, 10)).toBe(holdId);
    await sweepHolds(time.context);
    expect(await mainOf(time.context, walletId)).toBe(7n);
    const late = { ...making, idempotencyKey: freshName("key") };
    expect(await kindOf(newHold(time.context, late, 1))).toBe("VALIDATION");
  });

  test("a hold that expires is looked for as long as the request that makes it may be under way", async () => {
    const time = new TestTime();
    const row = { ledger: LEDGER, holdId: freshName("absent") };
    await planExpiry(databaseOf(env), { ...row, dueAt: time.at(60), askedAt: time.at(0) });
    time.seconds = 60;
    expect(await sweepHolds(time.context)).toBe(toMillis(time.at(3600)));
    expect(await rowsOf(row.ledger, row.holdId)).toMatchObject([{ due_at: time.at(3600) }]);
    time.seconds = 3600;
    await sweepHolds(time.context);
    expect(await rowsOf(row.ledger, row.holdId)).toEqual([]);
  });

  test("a hold that is not made is not looked for", async () => {
    const time = new TestTime();
    const walletId = await newWallet(time.context);
    const making = newHold(time.context, { walletId, expiresAt: time.at(60) }, 10);
    expect(await kindOf(making)).toBe("INSUFFICIENT_FUND");
    const due = env.DB.prepare("SELECT 1 FROM wallet_hold_expiries WHERE due_at = ?");
    expect((await due.bind(time.at(60)).all()).results).toEqual([]);
  });

  test("a hold that expires is not voided before its time, whatever the clock does", async () => {
    const time = new TestTime();
    const walletId = await newWallet(time.context, 10);
    const holdId = await newHold(time.context, { walletId, expiresAt: time.at(60) }, 10);
    // An earlier request with the key of the expiry asked for an earlier date, and was refused.
    const row = { ledger: LEDGER, holdId };
    await planExpiry(databaseOf(env), { ...row, dueAt: time.at(10), askedAt: time.at(0) });
    time.seconds = 20;
    await sweepHolds(time.context);
    time.seconds = 15;
    await sweepHolds(time.context);
    expect((await getHold(time.context, holdId)).remaining).toBe(10n);
    expect(await rowsOf(LEDGER, holdId)).toMatchObject([{ due_at: time.at(60) }]);
    time.seconds = 60;
    await Promise.all([sweepHolds(time.context), sweepHolds(time.context)]);
    expect((await getHold(time.context, holdId)).remaining).toBe(0n);
    expect(await rowsOf(LEDGER, holdId)).toEqual([]);
  });

  test("a hold that expires is looked at again where its ledger could not be reached", async () => {
    const time = new TestTime();
    const row = { ledger: freshName("ledger"), holdId: "a" };
    await planExpiry(databaseOf(env), { ...row, dueAt: time.at(0), askedAt: time.at(0) });
    const bound = { ...time.context, principal: { ...system.principal, ledgers: [LEDGER] } };
    await sweepHolds(bound);
    expect(await rowsOf(row.ledger, row.holdId)).toMatchObject([
      { due_at: time.at(1), attempts: 1 },
    ]);
    await env.DB.prepare("DELETE FROM wallet_hold_expiries WHERE ledger = ?")
      .bind(row.ledger)
      .run();
  });
});
