import { describe, expect, test } from "vitest";
import type { ActivityOutcome } from "#modules/orchestration/core/activities.ts";
import { parseConfig, stageAt } from "#modules/orchestration/core/config.ts";
import { parseSignedDurationMs } from "#modules/orchestration/core/go-duration.ts";
import { isFinal, stepAfter } from "#modules/orchestration/core/program.ts";
import { resolveStage } from "#modules/orchestration/core/resolve.ts";
import { interpolate } from "#modules/orchestration/core/variables.ts";

/** A send whose variables are replaced by their values. */
function resolved(send: object, variables: Record<string, string> = {}) {
  const config = parseConfig({ stages: [{ send }] });
  const stage = resolveStage(stageAt(config, 0) ?? expect.fail("no stage"), variables);
  return stage.type === "send" ? stage : expect.fail("no send");
}

/** The activities that a send asks for, one after the other, if their outputs are the given ones. */
function walked(send: object, outputs: readonly unknown[]): unknown[] {
  const asked = [];
  const outcomes: ActivityOutcome[] = [];
  for (const output of [...outputs, undefined, undefined, undefined]) {
    const step = stepAfter(resolved(send), outcomes);
    if (!("next" in step)) return asked;
    asked.push([step.next.name, step.next.input]);
    outcomes.push({ ok: true, output });
  }
  return expect.fail("it does not end");
}

const wallet = (id: string, ledger: string) => ({ id, name: id, ledger, metadata: {} });
const amount = { amount: 100, asset: "EUR/2" };
const money = { amount: 100n, asset: "EUR/2" };

describe("a send", () => {
  test("a send between wallets of two ledgers debits one and credits the other", () => {
    const send = {
      source: { wallet: { id: "a", balance: "gifts" } },
      destination: { wallet: { id: "b" } },
      amount,
    };
    expect(walked(send, [wallet("a", "one"), wallet("b", "two")])).toEqual([
      ["GetWallet", { id: "a" }],
      ["GetWallet", { id: "b" }],
      [
        "DebitWallet",
        {
          id: "a",
          data: {
            amount: money,
            balances: ["gifts"],
            metadata: { "orchestration/move-to-ledger": "two" },
          },
        },
      ],
      [
        "CreditWallet",
        {
          id: "b",
          data: {
            amount: money,
            balance: "main",
            metadata: { "orchestration/move-from-ledger": "one" },
            sources: [],
          },
        },
      ],
    ]);
  });

  test("a send keeps the stage's own metadata, over which the movement's goes", () => {
    const send = {
      source: { account: { id: "a", ledger: "one" } },
      destination: { account: { id: "b", ledger: "two" } },
      amount,
      metadata: { order: "1", "orchestration/move-to-ledger": "nowhere" },
    };
    expect(walked(send, [])).toMatchObject([
      [
        "CreateTransaction",
        { data: { metadata: { order: "1", "orchestration/move-to-ledger": "two" } } },
      ],
      ["CreateTransaction", { data: { metadata: { order: "1" } } }],
    ]);
  });

  test("a send ends where a wallet of a name is not the only one", () => {
    const send = resolved({
      source: { wallet: { name: "a" } },
      destination: { account: { id: "b" } },
      amount,
    });
    const found = (data: readonly unknown[]) => [{ ok: true, output: { data } }] as const;
    expect(() => stepAfter(send, found([]))).toThrow("wallet not found");
    const two = [wallet("a", "one"), wallet("b", "one")];
    expect(() => stepAfter(send, found(two))).toThrow("multiple wallets with the same name");
  });

  test("a send refuses a type of payment that there is not before anything moves", () => {
    const send = resolved(
      {
        source: { account: { id: "a" } },
        destination: { payment: { psp: "wise", type: "${type}" } },
        amount,
      },
      { type: "LOAN" },
    );
    expect(() => stepAfter(send, [])).toThrow("TRANSFER or PAYOUT, and not 'LOAN'");
  });

  test("a send has the standard values", () => {
    const send = { source: { account: { id: "a" } }, destination: { payment: { psp: "x" } } };
    expect(resolved(send)).toMatchObject({
      source: { account: { ledger: "default", throughAccount: "world", allowOverdraft: false } },
      destination: {
        payment: { type: "TRANSFER", metadata: "formanceAccountID", waitingValidation: false },
      },
      metadata: {},
    });
  });

  test("a send reads booleans and amounts from variables", () => {
    const send = {
      source: { account: { id: "users:${id}:main", allowOverdraft: "${may}" } },
      destination: { account: { id: "b" } },
      amount: { amount: "${n}", asset: "EUR/2" },
    };
    const big = "123456789012345678901234567890";
    expect(resolved(send, { id: "7", may: "TRUE", n: big })).toMatchObject({
      source: { account: { id: "users:7:main", allowOverdraft: true } },
      amount: { amount: BigInt(big) },
    });
    expect(() => resolved(send, { id: "7" })).toThrow("to bool value");
  });

  test("a send needs one source, and what a source needs", () => {
    const both = {
      source: { account: { id: "a" }, wallet: { id: "b" } },
      destination: { account: { id: "${none}" } },
    };
    expect(() => resolved(both)).toThrow(
      "Key: 'Send.Source.account' Error:Field validation for 'account' failed on the 'account or wallet or payment' tag",
    );
    expect(() => resolved(both)).toThrow(
      "Key: 'Send.Destination.Account.ID' Error:Field validation for 'ID' failed on the 'required' tag",
    );
  });
});

describe("values", () => {
  test("variables of a send are put in once, and an unknown one is empty", () => {
    const variables = { a: "${b}", "x.y": "1", b: "2", __proto__: "3" };
    expect(interpolate("${a}-${x.y}-${c}-${}-${ b}", variables)).toBe("${b}-1--${}-");
    expect(interpolate("${toString}", variables)).toBe("");
  });

  test.each([
    ["1h30m", 5_400_000],
    ["-5s", -5000],
    ["+1ms", 1],
    ["0", 0],
    ["7d", undefined],
    ["1", undefined],
    ["9999999999h", undefined],
  ])("the duration %s", (text, milliseconds) => {
    expect(parseSignedDurationMs(text)).toBe(milliseconds);
  });

  test("a refusal ends some activities only", () => {
    expect(isFinal("CreateTransaction", "VALIDATION")).toBe(true);
    expect(isFinal("CreateTransaction", "INSUFFICIENT_FUND")).toBe(false);
    expect(isFinal("CreditWallet", "VALIDATION")).toBe(false);
    expect(isFinal("GetWallet", "FORBIDDEN")).toBe(true);
  });
});
