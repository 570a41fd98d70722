import { AppError } from "#platform/errors.ts";

/** What a token may be bound to: the name of a ledger, or how names begin with a star behind it. */
export const LEDGER_PATTERN = /^(?:[0-9a-zA-Z_-]{1,63}\*?|\*)$/;

const STAR = "*";

/** Whether a pattern allows a ledger. */
export const matchesLedger = (pattern: string, name: string): boolean =>
  pattern.endsWith(STAR) ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** Whether a pattern allows all ledgers that another one does. */
export const coversPattern = (pattern: string, other: string): boolean =>
  pattern === other || (pattern.endsWith(STAR) && other.startsWith(pattern.slice(0, -1)));

/** Whether patterns allow a ledger. Without any, all ledgers are allowed. */
export const allowsLedger = (patterns: readonly string[], name: string): boolean =>
  patterns.length === 0 || patterns.some((pattern) => matchesLedger(pattern, name));

/** Whether patterns allow all ledgers that others do. */
export const coversLedgers = (patterns: readonly string[], others: readonly string[]): boolean =>
  patterns.length === 0 ||
  (others.length > 0 &&
    others.every((other) => patterns.some((pattern) => coversPattern(pattern, other))));

/**
 * The patterns that allow what both lists do; empty where both allow all ledgers, and undefined where there is no ledger that both
 * allow.
 */
export function commonPatterns(
  one: readonly string[],
  other: readonly string[],
): readonly string[] | undefined {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const narrower = [
    ...one.filter((pattern) => other.some((item) => coversPattern(item, pattern))),
    ...other.filter((pattern) => one.some((item) => coversPattern(item, pattern))),
  ];
  return narrower.length === 0 ? undefined : [...new Set(narrower)];
}

/**
 * Throws `UNAUTHENTICATED` where a principal is bound to other ledgers. It is what a missing scope answers, and is decided by
 * the name alone, so that nobody learns whether such a ledger exists.
 */
export function assertLedgerAllowed(
  { ledgers }: { readonly ledgers: readonly string[] },
  name: string,
): void {
  if (!allowsLedger(ledgers, name)) {
    throw outOfReach(`the token does not allow the ledger '${name}'`);
  }
}

/** `details` become part of the answer's `WWW-Authenticate` header. */
export const outOfReach = (message: string): AppError =>
  new AppError("UNAUTHENTICATED", message, { details: 'error="insufficient_scope"' });
