import type { AmountComparison } from "./pass.ts";

const MILLION = 1_000_000n;

/** Whether the amounts of both sides agree. */
export function amountsAgree(comparison: AmountComparison, left: bigint, right: bigint): boolean {
  switch (comparison.kind) {
    case "equal":
      return left === right;
    case "tolerance": {
      const difference = magnitude(left - right);
      const share = (magnitude(left) * comparison.millionths) / MILLION;
      return difference <= max(comparison.absolute, share);
    }
    case "fee":
      return comparison.netSide === "right"
        ? isNetOf(right, left, comparison)
        : isNetOf(left, right, comparison);
  }
}

interface Fee {
  readonly fixed: bigint;
  readonly millionths: bigint;
}

/** Whether `net` is what is left of `gross` after the fee, rounded down or up. */
function isNetOf(net: bigint, gross: bigint, { fixed, millionths }: Fee): boolean {
  const product = magnitude(gross) * millionths;
  const fee = fixed + product / MILLION;
  const kept = gross - net;
  return kept === fee || (product % MILLION !== 0n && kept === fee + 1n);
}

/** Amounts of the right side, from the least to the greatest, among which all are that agree with a left amount. */
export interface AmountRange {
  readonly least: bigint;
  readonly greatest: bigint;
}

/** The right amounts that may agree with a left one. The range may hold others too. */
export function rightRange(comparison: AmountComparison, left: bigint): AmountRange {
  switch (comparison.kind) {
    case "equal":
      return { least: left, greatest: left };
    case "tolerance":
      return toleranceRange(comparison, left);
    case "fee":
      return comparison.netSide === "right"
        ? netRange(left, comparison)
        : grossRange(left, comparison);
  }
}

/** The left amounts that may agree with a right one. The range may hold others too. */
export function leftRange(comparison: AmountComparison, right: bigint): AmountRange {
  switch (comparison.kind) {
    case "equal":
      return { least: right, greatest: right };
    case "tolerance":
      return toleranceRange(comparison, right);
    case "fee":
      return comparison.netSide === "left"
        ? netRange(right, comparison)
        : grossRange(right, comparison);
  }
}

/** A share of the left amount, which may be up to twice a right one, because a tolerance is at most the half of an amount. */
function toleranceRange({ absolute, millionths }: Tolerance, amount: bigint): AmountRange {
  const share = (2n * magnitude(amount) * millionths) / MILLION;
  const reach = max(absolute, share) + 1n;
  return { least: amount - reach, greatest: amount + reach };
}

interface Tolerance {
  readonly absolute: bigint;
  readonly millionths: bigint;
}

function netRange(gross: bigint, { fixed, millionths }: Fee): AmountRange {
  const fee = fixed + (magnitude(gross) * millionths) / MILLION;
  return { least: gross - fee - 1n, greatest: gross - fee };
}

/** The gross amounts whose net amount is `net`: the inverse of the fee, a unit wider on both sides because of its rounding. */
function grossRange(net: bigint, { fixed, millionths }: Fee): AmountRange {
  const whole = net + fixed;
  const share = whole < 0n ? MILLION + millionths : MILLION - millionths;
  const gross = (whole * MILLION) / share;
  const slack = MILLION / share + 2n;
  return { least: gross - slack, greatest: gross + slack };
}

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

const max = (one: bigint, other: bigint): bigint => (one > other ? one : other);
