/**
 * The pattern of a filter on addresses: segments between colons, where an empty one stands for any segment, and `...` at
 * the end for any number of further ones, none included. `users:` has two segments, `users:...` one or more.
 */
export interface AddressPattern {
  /** Empty for any segment. */
  readonly segments: readonly string[];
  /** Whether further segments may follow. */
  readonly isOpen: boolean;
}

/** Addresses in byte order from one on, up to but without another, or without end. */
export interface AddressRange {
  readonly from: string;
  readonly below: string | undefined;
}

const OPEN_END = "...";

/** Reads a pattern; any text is one, though none of its addresses may be legal. */
export function parseAddressPattern(text: string): AddressPattern {
  const segments = text.split(":");
  const isOpen = segments.at(-1) === OPEN_END;
  return { segments: isOpen ? segments.slice(0, -1) : segments, isOpen };
}

/** The one address that a pattern matches, if it names one. */
export function exactAddress({ segments, isOpen }: AddressPattern): string | undefined {
  return isOpen || segments.includes("") ? undefined : segments.join(":");
}

/** Tells addresses that a pattern matches from others. */
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

/** The ranges that all addresses of a pattern lie in: those of its leading fixed segments. They do not overlap. */
export function addressRanges(pattern: AddressPattern): AddressRange[] {
  const { segments, isOpen } = pattern;
  const wild = segments.indexOf("");
  const leading = wild === -1 ? segments : segments.slice(0, wild);
  if (leading.length === 0) return [{ from: "", below: undefined }];
  const prefix = leading.join(":");
  const below = { from: `${prefix}:`, below: `${prefix};` }; // `;` is the character behind `:`
  if (wild !== -1) return [below];
  const itself = { from: prefix, below: `${prefix}\u0001` }; // no address has a character that low
  return isOpen ? [itself, below] : [itself];
}

/** Whether an address lies in a range. */
export const isWithin = (address: string, { from, below }: AddressRange): boolean =>
  address >= from && (below === undefined || address < below);
