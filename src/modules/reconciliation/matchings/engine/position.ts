import type { OpenLine } from "#modules/reconciliation/core/matching/index.ts";

const DAY_DIGITS = 10;
/** Makes days before 1970 positive. */
const DAY_OFFSET = 1_000_000_000;
const LENGTH_DIGITS = 4;

/** A text that is ordered, byte by byte, as the days or amounts of lines are as numbers. */
export const positionOf = ({ day, amount }: OpenLine, order: "amount" | "day"): string =>
  order === "day" ? String(day + DAY_OFFSET).padStart(DAY_DIGITS, "0") : orderedText(amount);

/**
 * An integer as a text of its sign, the number of its digits and its digits; those of a negative one are complements to nine, so that a
 * greater magnitude comes first.
 */
function orderedText(amount: bigint): string {
  const digits = (amount < 0n ? -amount : amount).toString();
  const text = String(digits.length).padStart(LENGTH_DIGITS, "0") + digits;
  return amount < 0n ? `0${complement(text)}` : `1${text}`;
}

const complement = (digits: string): string =>
  Array.from(digits, (digit) => String(9 - Number(digit))).join("");
