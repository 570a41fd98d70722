import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type InitiationStatus, PAYMENT_STATUSES } from "#modules/payments/core/enums.ts";
import {
  decideInitiation,
  type InitiationState,
  type InitiationTrigger,
  type NewAdjustment,
  newInitiation,
} from "#modules/payments/core/initiation-machine.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const AMOUNT_MAX = 200n;

const payment = fc.constantFrom(...PAYMENT_STATUSES);
const amount = fc.bigInt({ min: -10n, max: AMOUNT_MAX });
const trigger: fc.Arbitrary<InitiationTrigger> = fc.oneof(
  fc.record({ kind: fc.constant("approve" as const), isLater: fc.boolean() }),
  fc.constantFrom<InitiationTrigger>(
    { kind: "reject" },
    { kind: "withdraw" },
    { kind: "delete" },
    { kind: "start" },
    { kind: "retry" },
    { kind: "failed", error: "it failed" },
    { kind: "reversal-failed", error: "it failed" },
  ),
  fc.record({ kind: fc.constant("made" as const), payment }),
  fc.record({ kind: fc.constant("reported" as const), payment }),
  fc.record({ kind: fc.constant("reported" as const), payment, amount }),
  fc.record({ kind: fc.constant("reverse" as const), amount }),
  fc.record({
    kind: fc.constantFrom("reversal-made" as const, "reversal-reported" as const),
    payment,
  }),
);

/** The statuses that may follow each status, for any trigger. */
const SENT = ["UNKNOWN", "PROCESSED", "FAILED", "REVERSED", "REVERSE_FAILED"] as const;
const EDGES: Readonly<Record<InitiationStatus, readonly InitiationStatus[]>> = {
  WAITING_FOR_VALIDATION: ["SCHEDULED_FOR_PROCESSING", "PROCESSING", "REJECTED"],
  REJECTED: [],
  SCHEDULED_FOR_PROCESSING: ["PROCESSING", "FAILED", "REJECTED"],
  PROCESSING: [...SENT, "REVERSE_PROCESSING", "REJECTED"],
  UNKNOWN: ["PROCESSING", ...SENT, "REVERSE_PROCESSING"],
  PROCESSED: [...SENT, "REVERSE_PROCESSING"],
  FAILED: ["PROCESSING", ...SENT, "REVERSE_PROCESSING"],
  REVERSE_PROCESSING: SENT,
  REVERSE_FAILED: [...SENT, "REVERSE_PROCESSING"],
  REVERSED: [...SENT, "REVERSE_PROCESSING"],
};

function assertSound(
  state: InitiationState,
  adjustments: readonly NewAdjustment[],
  reversing: boolean,
): void {
  const sum = adjustments
    .filter(({ status }) => status === "REVERSED")
    .reduce((total, adjustment) => total + (adjustment.amount ?? 0n), 0n);
  expect(state.status).toBe(adjustments.at(-1)?.status ?? "WAITING_FOR_VALIDATION");
  expect(state.reversed).toBe(sum);
  expect(state.wasProcessed).toBe(adjustments.some(({ status }) => status === "PROCESSED"));
  expect(state.reserved > 0n).toBe(reversing);
  expect(state.reversed + state.reserved <= state.amount).toBe(true);
  for (const { amount: part } of adjustments) {
    expect(part === undefined || (part > 0n && part <= state.amount)).toBe(true);
  }
}

const isEndOfReversal = ({ kind }: InitiationTrigger): boolean => kind.startsWith("reversal-");

test("no sequence of triggers reaches an illegal state, or reverses more than was moved", () => {
  const property = fc.property(
    fc.bigInt({ min: 1n, max: AMOUNT_MAX }),
    fc.array(trigger, { maxLength: 40 }),
    (total, triggers) => {
      let state = newInitiation(total);
      let reversing = false;
      const adjustments: NewAdjustment[] = [];
      for (const it of triggers) {
        const decision = decideInitiation(state, it);
        if (decision.kind === "deleted") {
          expect(state.status).toBe("WAITING_FOR_VALIDATION");
          return;
        }
        if (decision.kind !== "adjusted") continue;
        const { status } = decision.adjustment;
        expect(EDGES[state.status]).toContain(status);
        if (it.kind === "reverse") expect(reversing).toBe(false);
        if (isEndOfReversal(it)) expect(reversing).toBe(true);
        reversing = it.kind === "reverse" || (reversing && !isEndOfReversal(it));
        adjustments.push(decision.adjustment);
        state = decision.state;
        assertSound(state, adjustments, reversing);
      }
    },
  );
  fc.assert(property, { numRuns: runsOf(1000) });
});

test("a message of a provider that comes again changes nothing, unless money went back", () => {
  const property = fc.property(fc.array(trigger, { maxLength: 20 }), payment, (triggers, again) => {
    let state = newInitiation(100n);
    for (const it of triggers) {
      const decision = decideInitiation(state, it);
      if (decision.kind === "adjusted") state = decision.state;
    }
    const first = decideInitiation(state, { kind: "reported", payment: again });
    const after = first.kind === "adjusted" ? first.state : state;
    expect(decideInitiation(after, { kind: "reported", payment: again }).kind).toBe("unchanged");
  });
  fc.assert(property);
});
