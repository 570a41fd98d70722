import { evaluatePortion } from "./expressions.ts";
import { fail, type RunState } from "./state.ts";
import { PORTION_DIGITS_MAX } from "#numscript/limits.ts";
import type { Share } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";
import {
  allot,
  compare,
  costOf,
  type Fraction,
  isShare,
  ONE,
  PortionSum,
  printFraction,
  subtract,
  ZERO,
} from "#numscript/values/portions.ts";

/**
 * Divides an amount into parts. Invariant: the parts add up to the amount.
 *
 * Every share except `remaining` must be between zero and one, because a negative part would give money to its source.
 * Without `remaining`, the shares must add up to one. With `remaining` they may exceed one; the part of `remaining` is then
 * negative, and no other part is. Of several `remaining`, the last one counts, and the others are zero.
 */
export function divideAmount(
  state: RunState,
  amount: bigint,
  { branches, range }: { branches: readonly { share: Share }[]; range: Range },
): bigint[] {
  const sum = new PortionSum();
  let remaining: number | undefined;
  const shares: Fraction[] = branches.map(({ share }, index) => {
    if (share.kind === "remaining") {
      remaining = index;
      return ZERO;
    }
    const portion = evaluateShare(state, share);
    state.output.spend(costOf(portion) + costOf(sum.total));
    if (sum.add(portion)) return portion;
    const message = `portions add up to at most ${PORTION_DIGITS_MAX} digits`;
    return fail("limit-exceeded", message, share.range);
  });
  if (remaining === undefined) assertOne(sum.total, range);
  else shares[remaining] = subtract(ONE, sum.total);
  return allot(amount, shares);
}

function evaluateShare(
  state: RunState,
  { expression, range }: Extract<Share, { kind: "portion" }>,
): Fraction {
  const portion = evaluatePortion(state, expression);
  if (!isShare(portion)) {
    const got = printFraction(portion);
    fail("invalid-share", `Invalid allotment: a share is between 0 and 1 (got ${got})`, range);
  }
  return portion;
}

function assertOne(total: Fraction, range: Range): void {
  const difference = compare(total, ONE);
  if (difference === 0) return;
  const code = difference < 0 ? "portions-below-one" : "portions-above-one";
  const got = printFraction(total);
  fail(code, `Invalid allotment: portions sum should be 1 (got ${got} instead)`, range);
}

/** The error for shares that exceed one, if `remaining` would have to give, or to get back, the excess. */
export const refuseNegative = (range: Range): never =>
  fail(
    "invalid-share",
    "Invalid allotment: the portions are greater than 1, so that nothing is remaining",
    range,
  );
