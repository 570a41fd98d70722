import { allowsLedger } from "#platform/access/ledger-patterns.ts";

/** The events that a stream shows. */
export interface EventFilter {
  /** Patterns that `parsePattern` has returned; an event has to match one of them. */
  readonly types: readonly string[];
  /** The ledgers whose events are shown; undefined shows events of all ledgers and of none. */
  readonly ledgers: readonly string[] | undefined;
  /** Patterns of the ledgers that the token reaches. Empty shows everything; otherwise events without a ledger are left out. */
  readonly allowed?: readonly string[];
}

const PATTERN = /^(?:\*|[a-z0-9_-]+\.\*|[a-z0-9_-]+(?:\.[a-z0-9_-]+)+)$/;
const PATTERN_LENGTH_MAX = 255;

/** Parses a name, `app.*` or `*` into lower case; undefined for any other text. */
export function parsePattern(text: string): string | undefined {
  const pattern = text.trim().toLowerCase();
  return pattern.length <= PATTERN_LENGTH_MAX && PATTERN.test(pattern) ? pattern : undefined;
}

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
