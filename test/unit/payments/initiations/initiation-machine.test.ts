import { describe, expect, test } from "vitest";
import type { InitiationStatus, PaymentStatus } from "#modules/payments/core/enums.ts";
import {
  decideInitiation,
  type InitiationState,
  type InitiationTrigger,
  newInitiation,
} from "#modules/payments/core/initiation-machine.ts";
import { decideReversal, outcomeOfReversal } from "#modules/payments/core/reversal-machine.ts";

const stateOf = (
  status: InitiationStatus,
  others: Partial<InitiationState> = {},
): InitiationState => ({ ...newInitiation(100n), status, ...others });

/** The status after a trigger, or the kind of any other decision. */
function after(state: InitiationState, trigger: InitiationTrigger): string {
  const decision = decideInitiation(state, trigger);
  return decision.kind === "adjusted" ? decision.adjustment.status : decision.kind;
}

const made = (payment: PaymentStatus): InitiationTrigger => ({ kind: "made", payment });
const reported = (payment: PaymentStatus): InitiationTrigger => ({ kind: "reported", payment });

describe("an initiation that waits", () => {
  const waiting = stateOf("WAITING_FOR_VALIDATION");

  test("an initiation that waits is approved for now or for later, rejected or deleted", () => {
    expect(after(waiting, { kind: "approve", isLater: false })).toBe("PROCESSING");
    expect(after(waiting, { kind: "approve", isLater: true })).toBe("SCHEDULED_FOR_PROCESSING");
    expect(after(waiting, { kind: "reject" })).toBe("REJECTED");
    expect(after(waiting, { kind: "delete" })).toBe("deleted");
  });

  test("an initiation that waits is the only one that can be", () => {
    for (const status of [
      "PROCESSING",
      "SCHEDULED_FOR_PROCESSING",
      "REJECTED",
      "FAILED",
    ] as const) {
      for (const kind of ["approve", "reject", "delete"] as const) {
        expect(decideInitiation(stateOf(status), { kind, isLater: false })).toEqual({
          kind: "refused",
          reason: `cannot ${kind} an already approved payment initiation: validation error`,
        });
      }
    }
  });

  test("an initiation that waits hears nothing of providers, as one that was rejected or is still to be sent", () => {
    for (const status of [
      "WAITING_FOR_VALIDATION",
      "REJECTED",
      "SCHEDULED_FOR_PROCESSING",
    ] as const) {
      expect(after(stateOf(status), made("SUCCEEDED"))).toBe("unchanged");
      expect(after(stateOf(status), reported("REFUNDED"))).toBe("unchanged");
    }
  });
});

describe("an initiation that is sent", () => {
  const processing = stateOf("PROCESSING");

  test("a sent initiation starts when its time has come, once", () => {
    expect(after(stateOf("SCHEDULED_FOR_PROCESSING"), { kind: "start" })).toBe("PROCESSING");
    expect(after(processing, { kind: "start" })).toBe("unchanged");
  });

  test.each([
    ["SUCCEEDED", "PROCESSED"],
    ["CAPTURE", "PROCESSED"],
    ["REFUND_REVERSED", "PROCESSED"],
    ["CANCELLED", "FAILED"],
    ["CAPTURE_FAILED", "FAILED"],
    ["FAILED", "FAILED"],
    ["EXPIRED", "FAILED"],
    ["PENDING", "unchanged"],
    ["AUTHORISATION", "unchanged"],
    ["REFUNDED", "REVERSED"],
    ["REFUNDED_FAILURE", "REVERSE_FAILED"],
    ["DISPUTE", "UNKNOWN"],
    ["OTHER", "UNKNOWN"],
  ] as const)("a sent initiation becomes, by a payment that is %s, %s", (payment, status) => {
    expect(after(processing, made(payment))).toBe(status);
  });

  test.each([
    ["PENDING", "unchanged"],
    ["CAPTURE", "unchanged"],
    ["DISPUTE", "UNKNOWN"],
    ["DISPUTE_LOST", "FAILED"],
    ["EXPIRED", "FAILED"],
    ["REFUNDED", "REVERSED"],
    ["REFUNDED_FAILURE", "REVERSE_FAILED"],
    ["AMOUNT_ADJUSTEMENT", "unchanged"],
    ["UNKNOWN", "unchanged"],
    ["OTHER", "unchanged"],
  ] as const)("a sent initiation becomes later, by a report of %s, %s", (payment, status) => {
    const processed = stateOf("PROCESSED", { wasProcessed: true });
    expect(after(processed, reported(payment))).toBe(status);
  });

  test("a sent initiation says why it has failed", () => {
    expect(
      decideInitiation(processing, { kind: "failed", error: "no such account" }),
    ).toMatchObject({
      adjustment: { status: "FAILED", error: "no such account" },
    });
    expect(decideInitiation(processing, made("FAILED"))).toMatchObject({
      adjustment: { error: "payment failed" },
    });
    expect(decideInitiation(processing, reported("REFUNDED_FAILURE"))).toMatchObject({
      adjustment: { error: "payment refund failed" },
    });
  });

  test("a sent initiation comes out of a dispute", () => {
    const disputed = stateOf("UNKNOWN", { wasProcessed: true });
    expect(after(disputed, reported("DISPUTE_WON"))).toBe("PROCESSED");
    expect(after(disputed, reported("DISPUTE_LOST"))).toBe("FAILED");
    expect(after(disputed, reported("PENDING"))).toBe("PROCESSING");
  });

  test("a sent initiation is tried again only after a failure, and not while something is reversed", () => {
    expect(after(stateOf("FAILED"), { kind: "retry" })).toBe("PROCESSING");
    expect(decideInitiation(stateOf("PROCESSED"), { kind: "retry" })).toEqual({
      kind: "refused",
      reason: "cannot retry an already processed payment initiation: validation error",
    });
    expect(after(stateOf("FAILED", { reserved: 1n }), { kind: "retry" })).toBe("refused");
  });
});

describe("a reversal", () => {
  const processed = stateOf("PROCESSED", { wasProcessed: true });

  test("a reversal reserves its amount until its outcome is known", () => {
    const begun = decideInitiation(processed, { kind: "reverse", amount: 40n });
    expect(begun).toEqual({
      kind: "adjusted",
      adjustment: { status: "REVERSE_PROCESSING", amount: 40n },
      state: { ...processed, status: "REVERSE_PROCESSING", reserved: 40n },
    });
    const state = { ...processed, status: "REVERSE_PROCESSING" as const, reserved: 40n };
    expect(after(state, { kind: "reversal-made", payment: "PENDING" })).toBe("unchanged");
    expect(decideInitiation(state, { kind: "reversal-made", payment: "REFUNDED" })).toEqual({
      kind: "adjusted",
      adjustment: { status: "REVERSED", amount: 40n },
      state: { ...processed, status: "REVERSED", reversed: 40n, reserved: 0n },
    });
    expect(decideInitiation(state, { kind: "reversal-failed", error: "no money" })).toEqual({
      kind: "adjusted",
      adjustment: { status: "REVERSE_FAILED", amount: 40n, error: "no money" },
      state: { ...processed, status: "REVERSE_FAILED" },
    });
  });

  test("a reversal says why it may not be made", () => {
    const reverse = (state: InitiationState, amount: bigint) =>
      decideInitiation(state, { kind: "reverse", amount });
    expect(reverse(stateOf("PROCESSING"), 1n)).toMatchObject({
      reason: "payment initiation not processed",
    });
    expect(reverse({ ...processed, reversed: 60n }, 41n)).toMatchObject({
      reason: "cannot reverse more than the amount",
    });
    expect(reverse({ ...processed, reserved: 60n }, 40n)).toMatchObject({
      reason: "another reverse is already in progress",
    });
    expect(reverse(processed, 0n)).toMatchObject({ reason: "amount must be greater than 0" });
  });

  test("a reversal leaves refunds that were not asked for no more than the rest", () => {
    const state = { ...processed, reversed: 30n, reserved: 50n };
    expect(decideInitiation(state, { kind: "reported", payment: "REFUNDED", amount: 90n })).toEqual(
      {
        kind: "adjusted",
        adjustment: { status: "REVERSED", amount: 20n },
        state: { ...state, status: "REVERSED", reversed: 50n },
      },
    );
    expect(after({ ...state, reversed: 50n }, reported("REFUNDED"))).toBe("unchanged");
  });

  test("a reversal ends once, by what its payment says", () => {
    expect(decideReversal("PROCESSING", { kind: "payment", payment: "REFUNDED" })).toBe(
      "PROCESSED",
    );
    expect(decideReversal("PROCESSING", { kind: "payment", payment: "PENDING" })).toBeUndefined();
    expect(decideReversal("PROCESSING", { kind: "payment", payment: "EXPIRED" })).toBe("FAILED");
    expect(decideReversal("PROCESSING", { kind: "failed" })).toBe("FAILED");
    expect(decideReversal("FAILED", { kind: "payment", payment: "REFUNDED" })).toBeUndefined();
    expect(outcomeOfReversal("SUCCEEDED")).toBe("reversed");
  });
});
