import { LEDGER_PATTERN } from "#platform/access/ledger-patterns.ts";
import { assert } from "#platform/assert.ts";

/** The key of a client's metadata that binds it to ledgers: patterns, with commas between them. */
export const LEDGERS_KEY = "ledgers";

/** Most patterns of one client. Each of its tokens carries them. */
export const LEDGER_PATTERNS_MAX = 20;

/** Parses the patterns; undefined for a text that is no list of patterns. */
export function parseLedgerPatterns(text: string): readonly string[] | undefined {
  const patterns = text.split(",").map((item) => item.trim());
  const isGood =
    patterns.length <= LEDGER_PATTERNS_MAX && patterns.every((item) => LEDGER_PATTERN.test(item));
  return isGood ? patterns : undefined;
}

/** The patterns of the only ledgers that a client reaches; empty for all. */
export function ledgersOf(metadata: Readonly<Record<string, string>>): readonly string[] {
  const text = metadata[LEDGERS_KEY];
  if (text === undefined) return [];
  const patterns = parseLedgerPatterns(text);
  assert(patterns !== undefined, "a client was stored with valid patterns of ledgers");
  return patterns;
}
