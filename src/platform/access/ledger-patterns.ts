import { AppError } from "#platform/errors.ts";

/** Binding of a token: the name of a ledger, or the beginning of names followed by a star. */
export const LEDGER_PATTERN = /^(?:[0-9a-zA-Z_-]{1,63}\*?|\*)$/;

const STAR = "*";

/** Whether a pattern allows a ledger. */
export const matchesLedger = (pattern: string, name: string): boolean =>
  pattern.endsWith(STAR) ? name.startsWith(pattern.slice(0, -1)) : pattern === name;

/** Whether a pattern allows every ledger that the other pattern allows. */
export const coversPattern = (pattern: string, other: string): boolean =>
  pattern === other || (pattern.endsWith(STAR) && other.startsWith(pattern.slice(0, -1)));

/** Whether patterns allow a ledger. An empty list allows all ledgers. */
export const allowsLedger = (patterns: readonly string[], name: string): boolean =>
  patterns.length === 0 || patterns.some((pattern) => matchesLedger(pattern, name));

/** Whether a list of patterns allows every ledger that the other list allows. */
export const coversLedgers = (patterns: readonly string[], others: readonly string[]): boolean =>
  patterns.length === 0 ||
  (others.length > 0 &&
    others.every((other) => patterns.some((pattern) => coversPattern(pattern, other))));

/**
 * Patterns for the ledgers that both lists allow; empty if both lists allow all ledgers, and undefined if the lists have no ledger in
 * common.
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
 * Throws `UNAUTHENTICATED` where a principal is bound to other ledgers. The answer is that of a missing scope and depends on the name
 * alone, so that a caller does not learn whether the ledger exists.
 */
export function assertLedgerAllowed(
  { ledgers }: { readonly ledgers: readonly string[] },
  name: string,
): void {
  if (!allowsLedger(ledgers, name)) {
    throw outOfReach(`the token does not allow the ledger '${name}'`);
  }
}

/** A failure whose `details` become part of the `WWW-Authenticate` header of the answer. */
export const outOfReach = (message: string): AppError =>
  new AppError("UNAUTHENTICATED", message, { details: 'error="insufficient_scope"' });
