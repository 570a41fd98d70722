/**
 * The pattern of a filter on addresses: segments between colons. An empty segment stands for any segment, and `...` at
 * the end stands for any number of further segments, also none. `users:` has two segments, `users:...` has one or more.
 */
export interface AddressPattern {
  /** The segments. An empty text stands for any segment. */
  readonly segments: readonly string[];
  /** Whether further segments may follow: the pattern ends with `...`. */
  readonly isOpen: boolean;
}

/** The addresses in byte order from `from` (included) to `below` (excluded; undefined for no end). */
export interface AddressRange {
  readonly from: string;
  readonly below: string | undefined;
}

const OPEN_END = "...";

/** Parses a pattern. Any text is a pattern, although no legal address may match it. */
export function parseAddressPattern(text: string): AddressPattern {
  const segments = text.split(":");
  const isOpen = segments.at(-1) === OPEN_END;
  return { segments: isOpen ? segments.slice(0, -1) : segments, isOpen };
}

/** The only address that a pattern matches; undefined for a pattern that may match several. */
export function exactAddress({ segments, isOpen }: AddressPattern): string | undefined {
  return isOpen || segments.includes("") ? undefined : segments.join(":");
}

/** Makes a function that decides whether an address matches a pattern. */
export function addressMatcher(pattern: AddressPattern): (address: string) => boolean {
  const exact = exactAddress(pattern);
  if (exact !== undefined) return (address) => address === exact;
  const { segments, isOpen } = pattern;
  const ranges = addressRanges(pattern);
  const fixed = [...segments.entries()].filter(([, segment]) => segment !== "");
  return (address) => {
    if (!ranges.some((range) => isWithin(address, range))) return false;
    const parts = address.split(":");
    if (isOpen ? parts.length < segments.length : parts.length !== segments.length) return false;
    return fixed.every(([index, segment]) => parts[index] === segment);
  };
}

/** The ranges that contain all addresses of a pattern, by its leading fixed segments. They do not overlap. */
export function addressRanges(pattern: AddressPattern): AddressRange[] {
  const { segments, isOpen } = pattern;
  const wild = segments.indexOf("");
  const leading = wild === -1 ? segments : segments.slice(0, wild);
  if (leading.length === 0) return [{ from: "", below: undefined }];
  const prefix = leading.join(":");
  const below = { from: `${prefix}:`, below: `${prefix};` }; // `;` is the character after `:`
  if (wild !== -1) return [below];
  const itself = { from: prefix, below: `${prefix}\u0001` }; // no address contains a character as low as U+0001
  return isOpen ? [itself, below] : [itself];
}

export const isWithin = (address: string, { from, below }: AddressRange): boolean =>
  address >= from && (below === undefined || address < below);
