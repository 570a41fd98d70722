import { allowsLedger } from "#platform/access/ledger-patterns.ts";

/** Which events somebody wants to see. */
export interface EventFilter {
  /** Patterns as `parsePattern` gives them. */
  readonly types: readonly string[];
  /** Only events of these ledgers; undefined for all events, also those of no ledger. */
  readonly ledgers: readonly string[] | undefined;
  /** Patterns of the ledgers that the token allows, which then shows no events of no ledger; none for all events. */
  readonly allowed?: readonly string[];
}

const PATTERN = /^(?:\*|[a-z0-9_-]+\.\*|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+)$/;
const PATTERN_LENGTH_MAX = 255;

/** A name, `app.*` or `*`, in small letters as names are; undefined for anything else. */
export function parsePattern(text: string): string | undefined {
  const pattern = text.trim().toLowerCase();
  return pattern.length <= PATTERN_LENGTH_MAX && PATTERN.test(pattern) ? pattern : undefined;
}

/** Whether an event is wanted. */
export function isWanted(
  { types, ledgers, allowed = [] }: EventFilter,
  { name, ledger }: { readonly name: string; readonly ledger: string | undefined },
): boolean {
  if (ledgers !== undefined && (ledger === undefined || !ledgers.includes(ledger))) return false;
  if (allowed.length > 0 && (ledger === undefined || !allowsLedger(allowed, ledger))) return false;
  return types.some((pattern) => matches(pattern, name));
}

const matches = (pattern: string, name: string): boolean =>
  pattern === "*" ||
  (pattern.endsWith(".*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern);
