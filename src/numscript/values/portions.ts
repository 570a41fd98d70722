import { PORTION_DIGITS_MAX } from "#numscript/limits.ts";

/** An exact rational number in lowest terms, with a positive denominator. */
export interface Fraction {
  readonly numerator: bigint;
  readonly denominator: bigint;
}

export const ONE: Fraction = { numerator: 1n, denominator: 1n };
export const ZERO: Fraction = { numerator: 0n, denominator: 1n };

/** Makes a fraction of two integers. The denominator must not be zero. */
export function fraction(numerator: bigint, denominator: bigint): Fraction {
  if (denominator < 0n) return fraction(-numerator, -denominator);
  const divisor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, denominator);
  return divisor === 1n
    ? { numerator, denominator }
    : { numerator: numerator / divisor, denominator: denominator / divisor };
}

/**
 * Adds fractions (Knuth, The Art of Computer Programming, vol. 2, section 4.5.1). Only common factors of the denominators can
 * cancel out, so that the sum is divided by a divisor of their greatest common divisor, which is mostly small.
 */
export function add(a: Fraction, b: Fraction): Fraction {
  const shared = greatestCommonDivisor(a.denominator, b.denominator);
  const factor = a.denominator / shared;
  const numerator = a.numerator * (b.denominator / shared) + b.numerator * factor;
  const divisor = greatestCommonDivisor(numerator < 0n ? -numerator : numerator, shared);
  return {
    numerator: numerator / divisor,
    denominator: factor * (b.denominator / divisor),
  };
}

export const subtract = (a: Fraction, b: Fraction): Fraction =>
  add(a, { numerator: -b.numerator, denominator: b.denominator });

/** Negative, zero or positive if `a` is below, equal to or above `b`. */
export function compare(a: Fraction, b: Fraction): number {
  const difference = a.numerator * b.denominator - b.numerator * a.denominator;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

export const isShare = (portion: Fraction): boolean =>
  portion.numerator >= 0n && portion.numerator <= portion.denominator;

/** The largest integer that is not above `amount` times `portion`. */
export function floorOf(amount: bigint, portion: Fraction): bigint {
  const product = amount * portion.numerator;
  const quotient = product / portion.denominator;
  return product < 0n && quotient * portion.denominator !== product ? quotient - 1n : quotient;
}

/**
 * Divides an amount by shares that add up to one. Invariant: the parts add up to the amount. Each part is rounded down; the
 * units that are left go to the parts in order, one each (the allocation of Fowler's Money, Patterns of Enterprise Application
 * Architecture):
 *
 *     allot(10, 1/3, 1/3, 1/3)   floors 3, 3, 3, one unit left   parts 4, 3, 3
 */
export function allot(amount: bigint, shares: readonly Fraction[]): bigint[] {
  const parts = shares.map((share) => floorOf(amount, share));
  let missing = amount - parts.reduce((sum, part) => sum + part, 0n);
  for (let index = 0; missing > 0n && index < parts.length; index++, missing--) {
    parts[index] = (parts[index] ?? 0n) + 1n;
  }
  return parts;
}

/** A running sum of portions, whose numerator and denominator have at most `PORTION_DIGITS_MAX` digits. */
export class PortionSum {
  #total: Fraction = ZERO;

  get total(): Fraction {
    return this.#total;
  }

  /** Adds a portion and returns true, or returns false without adding it if the numbers of the sum would get too long. */
  add(portion: Fraction): boolean {
    const total = add(this.#total, portion);
    if (isTooLong(total)) return false;
    this.#total = total;
    return true;
  }
}

/** The work of one addition, in steps of a run. */
export const costOf = ({ denominator }: Fraction): number =>
  denominator > Number.MAX_SAFE_INTEGER ? 500 : 1;

export const isTooLong = ({ numerator, denominator }: Fraction): boolean =>
  denominator >= PORTION_LIMIT || numerator >= PORTION_LIMIT || -numerator >= PORTION_LIMIT;

const PORTION_LIMIT = 10n ** BigInt(PORTION_DIGITS_MAX);

/** The portion of a percentage: its digits, of which `decimals` follow the point. */
export const percentage = (digits: bigint, decimals: number): Fraction =>
  fraction(digits, 10n ** BigInt(decimals + 2));

/** Parses a portion from the text of a variable, `12.5%` or `1/8`. Returns a message if the text is invalid. */
export function parsePortion(text: string): Fraction | string {
  const percent = PERCENTAGE.exec(text);
  const ratio = percent === null ? FRACTION.exec(text) : null;
  const [, first = "", second = ""] = percent ?? ratio ?? [];
  if (first === "") return "invalid format";
  if (first.length + second.length > PORTION_DIGITS_MAX) {
    return `a portion has at most ${PORTION_DIGITS_MAX} digits`;
  }
  if (percent !== null) return asShare(percentage(BigInt(first + second), second.length));
  const denominator = BigInt(second);
  if (denominator === 0n) return "invalid fractional format";
  return asShare(fraction(BigInt(first), denominator));
}

const PERCENTAGE = /^([0-9]+)(?:[.]([0-9]+))?[%]$/;
const FRACTION = /^([0-9]+)[ \t\n\f\r]?[/][ \t\n\f\r]?([0-9]+)$/;

const asShare = (portion: Fraction): Fraction | string =>
  isShare(portion) ? portion : "portion must be between 0% and 100% inclusive";

export const printFraction = ({ numerator, denominator }: Fraction): string =>
  `${numerator}/${denominator}`;

function greatestCommonDivisor(a: bigint, b: bigint): bigint {
  let [large, small] = [a, b];
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}
