import { describe, expect, test } from "vitest";
import { afterAdjustment, netOf, NOTHING_MOVED } from "#modules/payments/core/booking-effect.ts";
import { PAYMENT_STATUSES, type PaymentStatus } from "#modules/payments/core/enums.ts";

type Adjustment = readonly [PaymentStatus, bigint?];

/** The amount by which each adjustment changes the booked amount, in the order of the adjustments. */
function changesOf(adjustments: readonly Adjustment[]): bigint[] {
  let money = NOTHING_MOVED;
  return adjustments.map(([status, amount]) => {
    const before = netOf(money);
    money = afterAdjustment(money, { status, amount });
    return netOf(money) - before;
  });
}

describe("the money that has moved after adjustments", () => {
  test.each<[string, readonly Adjustment[], readonly bigint[]]>([
    [
      "a payment that waits and succeeds",
      [
        ["PENDING", 100n],
        ["SUCCEEDED", 100n],
      ],
      [0n, 100n],
    ],
    [
      "a success that is told twice",
      [
        ["SUCCEEDED", 100n],
        ["SUCCEEDED", 100n],
      ],
      [100n, 0n],
    ],
    [
      "captures of an authorisation",
      [
        ["AUTHORISATION", 100n],
        ["CAPTURE", 60n],
        ["CAPTURE", 30n],
      ],
      [0n, 60n, 30n],
    ],
    [
      "a capture that fails",
      [
        ["AUTHORISATION", 100n],
        ["CAPTURE_FAILED", 100n],
      ],
      [0n, 0n],
    ],
    [
      "partial refunds",
      [
        ["SUCCEEDED", 100n],
        ["REFUNDED", 30n],
        ["REFUNDED", 20n],
      ],
      [100n, -30n, -20n],
    ],
    [
      "a refund that fails",
      [
        ["SUCCEEDED", 100n],
        ["REFUNDED", 30n],
        ["REFUNDED_FAILURE", 30n],
      ],
      [100n, -30n, 30n],
    ],
    [
      "the failure of a refund that was never there",
      [
        ["SUCCEEDED", 100n],
        ["REFUNDED_FAILURE", 30n],
      ],
      [100n, 0n],
    ],
    [
      "a refund that is reversed",
      [
        ["SUCCEEDED", 100n],
        ["REFUNDED", 30n],
        ["REFUND_REVERSED", 30n],
      ],
      [100n, -30n, 30n],
    ],
    [
      "a dispute that is won",
      [
        ["SUCCEEDED", 100n],
        ["DISPUTE", 100n],
        ["DISPUTE_WON", 100n],
      ],
      [100n, -100n, 100n],
    ],
    [
      "a dispute that is lost",
      [["SUCCEEDED", 100n], ["DISPUTE"], ["DISPUTE_LOST"]],
      [100n, -100n, 0n],
    ],
    [
      "a loss without a dispute",
      [
        ["SUCCEEDED", 100n],
        ["DISPUTE_LOST", 100n],
      ],
      [100n, -100n],
    ],
    [
      "a cancellation after a refund",
      [["SUCCEEDED", 100n], ["REFUNDED", 30n], ["CANCELLED"]],
      [100n, -30n, -70n],
    ],
    ["a payment that fails at once", [["FAILED", 100n]], [0n]],
    [
      "a correction",
      [
        ["SUCCEEDED", 100n],
        ["AMOUNT_ADJUSTEMENT", 90n],
      ],
      [100n, -10n],
    ],
    [
      "a correction before anything has moved",
      [
        ["PENDING", 100n],
        ["AMOUNT_ADJUSTEMENT", 90n],
      ],
      [0n, 0n],
    ],
    ["a payment that nobody understands", [["OTHER", 100n], ["UNKNOWN"]], [0n, 0n]],
  ])("the effect of %s on the money that has moved", (_what, adjustments, changes) => {
    expect(changesOf(adjustments)).toEqual(changes);
  });

  test("a cancellation after any two adjustments leaves nothing", () => {
    for (const first of PAYMENT_STATUSES) {
      for (const second of PAYMENT_STATUSES) {
        const changes = changesOf([[first, 50n], [second, 20n], ["CANCELLED"]]);
        expect(
          changes.reduce((sum, change) => sum + change, 0n),
          `${first}, ${second}`,
        ).toBe(0n);
      }
    }
  });
});
