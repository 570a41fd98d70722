import { type CheckState, type ExpressionCheck, valueOfNumber } from "./types.ts";
import type { Expression, Share } from "#numscript/syntax/ast.ts";
import type { Range } from "#numscript/syntax/source.ts";
import {
  compare,
  type Fraction,
  fraction,
  isShare,
  isTooLong,
  ONE,
  percentage,
  PortionSum,
  printFraction,
  subtract,
  ZERO,
} from "#numscript/values/portions.ts";

/** The shares among which an amount is divided, and the range of the whole allotment. */
export interface Allotment {
  readonly branches: readonly { readonly share: Share }[];
  readonly range: Range;
}

/**
 * Checks that the shares of an allotment add up to one, as far as they are literals. A variable share may have the missing
 * value, and `remaining` always has it.
 */
export function checkAllotment(
  { branches, range }: Allotment,
  state: CheckState,
  expressions: ExpressionCheck,
): void {
  for (const { share } of branches) {
    if (share.kind === "portion") expressions.check(share.expression, "portion");
  }
  const sum = new ShareSum(branches, state);
  if (!sum.isKnown) return;
  if (state.isMachine) checkMachineSum(sum, range, state);
  else checkSum(sum, range, state);
}

class ShareSum {
  readonly #state: CheckState;
  readonly #sum = new PortionSum();
  /** The shares whose values are known only in a run. */
  readonly unknown: Expression[] = [];
  /** The places of `remaining`. */
  readonly remaining: Range[] = [];
  readonly endsWithRemaining: boolean;
  /** Whether the sum of all literal shares could be computed. */
  isKnown = true;

  constructor(branches: readonly { readonly share: Share }[], state: CheckState) {
    this.#state = state;
    for (const { share } of branches) {
      if (share.kind === "remaining") this.remaining.push(share.range);
      else if (this.isKnown) this.#add(share.expression);
    }
    this.endsWithRemaining = branches.at(-1)?.share.kind === "remaining";
  }

  get total(): Fraction {
    return this.#sum.total;
  }

  #add(expression: Expression): void {
    const share = valueOfShare(expression);
    if (share === undefined) {
      this.unknown.push(expression);
    } else if (share === "division by zero") {
      this.isKnown = false;
      if (!this.#state.isMachine) return;
      this.#state.report.error("invalid-portion", "invalid fractional format", expression.range);
    } else if (share === "too long" || !this.#sum.add(share)) {
      this.isKnown = false;
    } else if (!isShare(share)) {
      this.#refuse(share, expression.range);
    }
  }

  /** Refuses an invalid share. For the interpreter, `checkSum` reports a share above one, with the sum of the shares. */
  #refuse(share: Fraction, range: Range): void {
    if (this.#state.isMachine) {
      this.isKnown = false;
      const message = "portion must be between 0% and 100% inclusive";
      this.#state.report.error("invalid-portion", message, range);
    } else if (share.numerator < 0n) {
      const message = `Invalid allotment: a share is between 0 and 1 (got ${printFraction(share)})`;
      this.#state.report.error("invalid-share", message, range);
    }
  }
}

function checkSum(sum: ShareSum, range: Range, { report }: CheckState): void {
  const { total, unknown, remaining, endsWithRemaining } = sum;
  if (remaining.length > (endsWithRemaining ? 1 : 0)) {
    const message = "A 'remaining' clause should be the last in an allotment expression";
    report.error("remaining-not-last", message, range);
  }
  const order = compare(total, ONE);
  const got = printFraction(total);
  if (order > 0) {
    const message = `Allotment portions are greater than one (Got ${got})`;
    report.error("portions-above-one", message, range);
  } else if (order === 0) {
    for (const expression of unknown) warnOfUnknown(expression, ZERO, report);
    const last = endsWithRemaining ? remaining.at(-1) : undefined;
    if (last === undefined) return;
    const message = "Redundant 'remaining' clause (allotment already sums to 1)";
    report.warn("redundant-remaining", message, last);
  } else if (!endsWithRemaining && unknown.length === 0) {
    const message = `Allotment portions are lesser than one (Got ${got}). Maybe try adding a 'remaining' clause?`;
    report.error("portions-below-one", message, range);
  } else if (remaining.length === 0 && unknown.length === 1 && unknown[0] !== undefined) {
    warnOfUnknown(unknown[0], subtract(ONE, total), report);
  }
}

function warnOfUnknown(
  { range }: Expression,
  needed: Fraction,
  report: CheckState["report"],
): void {
  const message = `Using a variable expression can lead to a runtime error if the expression doesn't resolve to ${printFraction(needed)}.\n\nConsider using a hard-coded value or adding a 'remaining' clause to prevent the error`;
  report.warn("portions-may-differ-from-one", message, range);
}

/** Checks the sum for the machine, which refuses variables that could change the sum, and accepts `remaining` in any position. */
function checkMachineSum(sum: ShareSum, range: Range, { report }: CheckState): void {
  const { total, unknown, remaining } = sum;
  for (const place of remaining.slice(1)) {
    const message = "two uses of `remaining` in the same allocation";
    report.error("duplicate-remaining", message, place);
  }
  const order = compare(total, ONE);
  const mayDiffer = unknown.length > 0;
  if (order > 0) {
    report.error("portions-above-one", "the sum of known portions is greater than 100%", range);
  } else if (order === 0 && mayDiffer) {
    const message = "the sum of portions might be greater than 100%";
    report.error("portions-may-differ-from-one", message, range);
  } else if (order === 0 && remaining.length > 0) {
    report.error("redundant-remaining", "known portions are already equal to 100%", range);
  } else if (order < 0 && remaining.length === 0) {
    const code = mayDiffer ? "portions-may-differ-from-one" : "portions-below-one";
    report.error(code, "the sum of portions might be less than 100%", range);
  }
}

/** The value of a share; undefined if it is known only in a run. */
function valueOfShare(
  expression: Expression,
): Fraction | "division by zero" | "too long" | undefined {
  switch (expression.kind) {
    case "percentage":
      return percentage(expression.digits, expression.decimals);
    case "fraction":
      return quotient(expression.numerator, expression.denominator);
    case "binary": {
      if (expression.operator !== "/") return undefined;
      const numerator = valueOfNumber(expression.left);
      const denominator = valueOfNumber(expression.right);
      if (denominator === 0n) return "division by zero";
      if (numerator === undefined || denominator === undefined) return undefined;
      return quotient(numerator, denominator);
    }
    default:
      return undefined;
  }
}

function quotient(numerator: bigint, denominator: bigint): ReturnType<typeof valueOfShare> {
  if (denominator === 0n) return "division by zero";
  const share = fraction(numerator, denominator);
  return isTooLong(share) ? "too long" : share;
}
