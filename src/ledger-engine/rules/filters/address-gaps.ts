import { type AddressPattern } from "./address-pattern.ts";
import type { LedgerFilter } from "./filters.ts";

/** The addresses from `from` (included) to `below` (excluded), none of which matches. */
export interface AddressGap {
  readonly from: string;
  readonly below: string;
}

/** Gives a gap that contains an address; undefined if the address may match, or if no gap around it is known. */
export type AddressGaps = (address: string) => AddressGap | undefined;

/** The most patterns of a filter whose gaps are computed, because each gap is computed from all of them. */
const PATTERNS_MAX = 32;
/** A text that sorts after every address, because addresses consist of ASCII characters. */
const END = "\u{10FFFF}";

/**
 * The gaps between the addresses that may match a filter, over which a skip scan jumps. Undefined if the filter leaves no gaps that its
 * patterns of addresses tell.
 */
export function gapsOf(filter: LedgerFilter | undefined): AddressGaps | undefined {
  switch (filter?.kind) {
    case "address":
      return filter.patterns.length > PATTERNS_MAX
        ? undefined
        : common(filter.patterns.map((pattern) => (address) => gapOfPattern(pattern, address)));
    case "any":
      if (filter.filters.length === 0 || filter.filters.length > PATTERNS_MAX) return undefined;
      return common(filter.filters.map(gapsOf));
    case "all": {
      const parts = filter.filters.flatMap((part) => gapsOf(part) ?? []);
      return parts.length === 0 ? undefined : joined(parts.slice(0, PATTERNS_MAX));
    }
    default:
      return undefined;
  }
}

/** The gaps that all parts have in common. */
function common(parts: readonly (AddressGaps | undefined)[]): AddressGaps | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  return (address) => {
    let gap: AddressGap = { from: "", below: END };
    for (const gapsOfPart of known) {
      const other = gapsOfPart(address);
      if (other === undefined) return undefined;
      gap = {
        from: other.from > gap.from ? other.from : gap.from,
        below: other.below < gap.below ? other.below : gap.below,
      };
    }
    return gap;
  };
}

/** The gaps of any part. All gaps of one address overlap in it, so that together they are one gap. */
const joined =
  (parts: readonly AddressGaps[]): AddressGaps =>
  (address) => {
    const gaps = parts.flatMap((gapsOfPart) => gapsOfPart(address) ?? []);
    const [first, ...others] = gaps;
    if (first === undefined) return undefined;
    return others.reduce(
      (gap, { from, below }) => ({
        from: from < gap.from ? from : gap.from,
        below: below > gap.below ? below : gap.below,
      }),
      first,
    );
  };

/**
 * The gap of a pattern around an address, from the first segment that does not match. The addresses that begin with the segments before it
 * are neighbours. Among them, `a` stands for the wanted segment:
 *
 *     x:          gap    x:a    gap    x:a:…    gap         x;
 *     ├─────────────────┤│    ├───────┤      ├─────────────┤
 *
 * The segment `a-b` sorts between `x:a` and `x:a:…`, because `-` comes before the colon. An address with more segments than the pattern is
 * in the gap of all addresses below its last matching segment.
 */
function gapOfPattern(
  { segments: wanted, isOpen }: AddressPattern,
  address: string,
): AddressGap | undefined {
  const segments = address.split(":");
  const most = Math.min(segments.length, wanted.length);
  let depth = 0;
  while (depth < most && (wanted[depth] === "" || wanted[depth] === segments[depth])) depth++;
  const before = segments.slice(0, depth).join(":");
  if (depth === wanted.length) {
    return isOpen || segments.length === depth
      ? undefined
      : { from: `${before}:`, below: `${before};` }; // `;` is the character after `:`
  }
  const segment = wanted[depth];
  if (segment === undefined || depth === segments.length) return undefined;
  const from = depth === 0 ? "" : `${before}:`;
  const below = depth === 0 ? END : `${before};`;
  const match = `${from}${segment}`;
  if (address < match) return { from, below: match };
  const behind = `${match}\u0001`; // no address contains a character as low as U+0001
  const isLast = depth === wanted.length - 1 && !isOpen;
  if (isLast) return { from: behind, below };
  return address < `${match}:`
    ? { from: behind, below: `${match}:` }
    : { from: `${match};`, below };
}
