import { describe, expect, test } from "vitest";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import { type AdjustmentFacts, derivePayment } from "#modules/payments/core/payment-amounts.ts";
import { at } from "#test/support/payments/provider-objects.ts";

type Step = readonly [status: PaymentStatus, amount?: bigint, seconds?: number];

const factsOf = (steps: readonly Step[]): AdjustmentFacts[] =>
  steps.map(([status, amount, seconds], place) => ({
    status,
    createdAt: at(seconds ?? place),
    ...(amount === undefined ? {} : { amount }),
  }));

describe("the amounts and the status of a payment", () => {
  test.each<[what: string, steps: readonly Step[], initial: bigint, amount: bigint, PaymentStatus]>(
    [
      ["a payment", [["SUCCEEDED", 100n]], 100n, 100n, "SUCCEEDED"],
      [
        "a refund",
        [
          ["SUCCEEDED", 100n],
          ["REFUNDED", 30n],
        ],
        100n,
        70n,
        "REFUNDED",
      ],
      [
        "a refund that was reversed",
        [
          ["SUCCEEDED", 100n],
          ["REFUNDED", 30n],
          ["REFUND_REVERSED", 30n],
        ],
        100n,
        100n,
        "REFUND_REVERSED",
      ],
      ["an authorisation", [["AUTHORISATION", 100n]], 100n, 0n, "AUTHORISATION"],
      [
        "two captures",
        [
          ["AUTHORISATION", 100n],
          ["CAPTURE", 30n],
          ["CAPTURE", 50n],
        ],
        100n,
        80n,
        "CAPTURE",
      ],
      [
        "a capture of what was pending",
        [
          ["PENDING", 100n],
          ["AUTHORISATION", 100n],
          ["CAPTURE", 100n],
        ],
        100n,
        100n,
        "CAPTURE",
      ],
      [
        "a failed capture",
        [
          ["AUTHORISATION", 100n],
          ["CAPTURE_FAILED", 100n],
        ],
        100n,
        0n,
        "CAPTURE_FAILED",
      ],
      ["a capture alone", [["CAPTURE", 100n]], 100n, 100n, "CAPTURE"],
      [
        "captures alone",
        [
          ["CAPTURE", 30n],
          ["CAPTURE", 40n],
        ],
        70n,
        70n,
        "CAPTURE",
      ],
      ["a refund alone", [["REFUNDED", 100n]], 100n, 100n, "REFUNDED"],
      [
        "two refunds alone",
        [
          ["REFUNDED", 100n],
          ["REFUNDED", 30n],
        ],
        100n,
        70n,
        "REFUNDED",
      ],
      [
        "a beginning that comes last",
        [
          ["REFUNDED", 30n, 5],
          ["SUCCEEDED", 100n, 1],
        ],
        100n,
        70n,
        "REFUNDED",
      ],
      [
        "a corrected amount",
        [
          ["SUCCEEDED", 100n],
          ["AMOUNT_ADJUSTEMENT", 90n, 2],
          ["AMOUNT_ADJUSTEMENT", 80n, 1],
        ],
        90n,
        100n,
        "AMOUNT_ADJUSTEMENT",
      ],
      ["a correction alone", [["AMOUNT_ADJUSTEMENT", 90n]], 90n, 90n, "AMOUNT_ADJUSTEMENT"],
      [
        "a cancellation without an amount",
        [["PENDING", 100n], ["CANCELLED"]],
        100n,
        100n,
        "CANCELLED",
      ],
      [
        "a dispute",
        [
          ["SUCCEEDED", 100n],
          ["DISPUTE", 60n],
        ],
        100n,
        100n,
        "DISPUTE",
      ],
      [
        "an old state that comes late",
        [
          ["SUCCEEDED", 100n, 5],
          ["PENDING", 100n, 1],
        ],
        100n,
        100n,
        "SUCCEEDED",
      ],
      [
        "two states of one time",
        [
          ["PENDING", 100n, 1],
          ["SUCCEEDED", 100n, 1],
        ],
        100n,
        100n,
        "SUCCEEDED",
      ],
      ["nothing", [], 0n, 0n, "UNKNOWN"],
    ],
  )("the amounts and the status of %s", (_what, steps, ...expected) => {
    const [initialAmount, amount, status] = expected;
    expect(derivePayment(factsOf(steps))).toEqual({ initialAmount, amount, status });
  });

  test("the amounts and the status of a payment begin with what a client has given", () => {
    const given = { initialAmount: 100n, amount: 90n };
    const facts = factsOf([
      ["SUCCEEDED", 7n],
      ["REFUNDED", 30n],
    ]);
    expect(derivePayment(facts, given)).toMatchObject({ initialAmount: 100n, amount: 60n });
  });
});
