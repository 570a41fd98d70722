import { distanceInDays } from "./days.ts";
import { LINE_FIELDS, type OpenLine } from "./line.ts";
import { normalise } from "./normalise.ts";
import type { Pass } from "./pass.ts";

/** Lines of both sides that have the same key, among which a pass looks for what belongs together. */
export interface Block {
  readonly left: readonly OpenLine[];
  readonly right: readonly OpenLine[];
}

/** Lines that belong together, by their ids. */
export interface Group {
  readonly left: readonly number[];
  readonly right: readonly number[];
}

/** What a pass has found in a block. No line is in two of the lists or groups. */
export interface Found {
  readonly matches: readonly Group[];
  /** Groups of lines of which several combinations fit equally well, so that a person has to choose. */
  readonly ambiguous: readonly Group[];
  /** Lines that stay open because the search for their partners took more work than its limit. */
  readonly givenUp: readonly number[];
}

export const NOTHING: Found = { matches: [], ambiguous: [], givenUp: [] };

const SEPARATOR = "\u001F";

/**
 * The key by which a pass groups lines before it compares them (blocking, in the words of record linkage: I. Fellegi and A. Sunter, 1969):
 * the asset, the texts after normalising, and the amount where a pair of lines has to have equal ones. Undefined for a line that takes no
 * part in the pass, because one of its texts is missing or too short.
 */
export function blockingKey(pass: Pass, line: OpenLine): string | undefined {
  const parts: string[] = [line.asset];
  for (const key of pass.keys) {
    const text = normalise(line.texts[key[line.side]] ?? "", key.normalise);
    if (text.length < Math.max(key.lengthMin, 1)) return undefined;
    parts.push(text);
  }
  if (isByAmount(pass)) parts.push(line.amount.toString());
  return parts.join(SEPARATOR);
}

/** Whether lines that belong together have one amount. */
export const isByAmount = ({ amount, cardinality }: Pass): boolean =>
  amount.kind === "equal" && cardinality === "1:1";

/** What tells a line from others: lines of one side with equal signatures are interchangeable. */
export const signatureOf = (line: OpenLine): string =>
  [line.day, line.amount, ...LINE_FIELDS.map((field) => line.texts[field] ?? "")].join(SEPARATOR);

/** Whether the days of two lines are as near as the pass demands. */
export const areNear = ({ dates }: Pass, one: OpenLine, other: OpenLine): boolean =>
  dates === undefined || distanceInDays(one.day, other.day, dates.count) <= dates.max;
