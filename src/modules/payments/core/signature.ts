/**
 * The signature of metadata: each entry sets three of 52 bits. Metadata that lacks one of the bits of an entry does not
 * have that entry, so that a list in D1 finds the rows of an entry by numbers in its index and reads few others. Most
 * rows have some entries; an index of entries would be billed with a row for each.
 */
export function signatureOf(metadata: Readonly<Record<string, string>>): number {
  const bits = new Set<number>();
  for (const [name, value] of Object.entries(metadata)) {
    for (const bit of bitsOf(name, value)) bits.add(bit);
  }
  return [...bits].reduce((sum, bit) => sum + 2 ** bit, 0);
}

/** A JavaScript number holds 53 bits. */
const BITS = 52;
const BITS_PER_ENTRY = 3;

function bitsOf(name: string, value: string): number[] {
  // The length keeps the name and the value apart.
  const first = textHash(`${name.length}:${name}${value}`);
  const step = textHash(`${value}${name}`) % (BITS - 1);
  return Array.from({ length: BITS_PER_ENTRY }, (_, at) => (first + at * (step + 1)) % BITS);
}

/**
 * The hash of an account's reference, null of none: an index that has it in place of the reference is read in less time, and finds
 * next to no row that has another reference.
 */
export const accountHash = (reference: string | null | undefined): number | null =>
  reference === null || reference === undefined ? null : textHash(reference) >>> 1;

/** FNV-1a with 32 bits. It must never change, as stored signatures are compared with it. */
export function textHash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  // The low bits of the product alone are weak.
  return (state ^ (state >>> 15)) >>> 0;
}
