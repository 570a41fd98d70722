import { type DayCount, distanceInDays } from "#modules/reconciliation/core/matching/days.ts";
import type { OpenLine } from "#modules/reconciliation/core/matching/line.ts";
import { normalise } from "#modules/reconciliation/core/matching/normalise.ts";

/** Why a line is open. */
export const BREAK_CLASSES = [
  /** The left side has no line for one of the right. */
  "missing_left",
  /** The right side has no line for one of the left. */
  "missing_right",
  /** The line is so young that its partner may still come. */
  "timing",
  /** A line of the other side has the reference, and another amount. */
  "amount",
  /** Its side has another line that says the same. */
  "duplicate",
  /** A line of the other side has the reference, and another currency. */
  "currency",
  /** A line of the other side has the reference, and the amount before or after the fee that the source tells. */
  "fee",
  /** Several lines fit equally well, so that nothing tells which; or the one that fits was not matched, as where its day is too far away. */
  "unknown",
] as const;

export type BreakClass = (typeof BREAK_CLASSES)[number];

/** What is known about an open line. */
export interface BreakEvidence {
  /** A line of the same side, matched or older, with the same reference, asset and amount. */
  readonly twin: number | undefined;
  /** Open lines of the other side with the same reference. */
  readonly namesakes: readonly OpenLine[];
  /** Whether a proposal has the line, or a search was given up. */
  readonly isUndecided: boolean;
}

export interface Break {
  readonly class: BreakClass;
  /** The line that the class speaks of: the twin, or the namesake with another amount or currency. */
  readonly relatedLine: number | undefined;
}

interface Patience {
  /** The day of the run. */
  readonly today: number;
  /** Lines that are at most so many days old are `timing`. */
  readonly days: number;
  readonly count: DayCount;
}

/** Says why a line is open, by the first rule that applies. */
export function classifyBreak(line: OpenLine, evidence: BreakEvidence, patience: Patience): Break {
  const { twin, namesakes, isUndecided } = evidence;
  if (twin !== undefined) return { class: "duplicate", relatedLine: twin };
  const sameAsset = namesakes.filter(({ asset }) => asset === line.asset);
  const withFee = sameAsset.find((other) => differsByFee(line, other));
  if (withFee !== undefined) return { class: "fee", relatedLine: withFee.id };
  const differing = sameAsset.find(({ amount }) => amount !== line.amount);
  const equal = sameAsset.find(({ amount }) => amount === line.amount);
  if (equal !== undefined) return { class: "unknown", relatedLine: equal.id };
  if (differing !== undefined) return { class: "amount", relatedLine: differing.id };
  const [foreign] = namesakes;
  if (foreign !== undefined) return { class: "currency", relatedLine: foreign.id };
  if (isUndecided) return { class: "unknown", relatedLine: undefined };
  if (
    line.day > patience.today ||
    distanceInDays(line.day, patience.today, patience.count) <= patience.days
  )
    return { class: "timing", relatedLine: undefined };
  return {
    class: line.side === "left" ? "missing_right" : "missing_left",
    relatedLine: undefined,
  };
}

/** Whether the amounts differ by the fee that one of the lines tells. */
const differsByFee = (one: OpenLine, other: OpenLine): boolean => {
  const difference = one.amount - other.amount;
  return [one.fee, other.fee].some(
    (fee) => fee !== undefined && fee !== 0n && (difference === fee || difference === -fee),
  );
};

const REFERENCE_FIELDS = ["endToEndId", "providerId", "instructionId"] as const;
const NO_REFERENCE = "notprovided";

/** The references of a line, normalised: lines that share one speak of the same thing. */
export const referencesOf = ({ texts }: Pick<OpenLine, "texts">): readonly string[] =>
  REFERENCE_FIELDS.map((field) => normaliseReference(texts[field] ?? "")).filter(
    (reference) => reference !== "" && reference !== NO_REFERENCE,
  );

/** A reference as lines are found by it. */
export const normaliseReference = (text: string): string =>
  normalise(text, [{ kind: "case" }, { kind: "punctuation" }]);
