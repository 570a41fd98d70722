/**
 * FNV-1a (Fowler, Noll and Vo) with 32 bits, over the UTF-16 code units of a text, and its upper bits mixed into the lower ones, which
 * are the weak ones of the product. It must never change: stored Bloom filters and columns hold what it has computed.
 */
export function textHash(text: string): number {
  let state = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    state = Math.imul(state ^ text.charCodeAt(at), 0x01000193);
  }
  return (state ^ (state >>> 15)) >>> 0;
}

/**
 * The hash of an account's reference, of 31 bits; null if there is no account. Indexes of lists hold it in place of the reference,
 * because a narrow index is read in less time. Two references rarely have one hash, so that a list tests the reference of a found row.
 */
export const accountHash = (reference: string | null | undefined): number | null =>
  reference === null || reference === undefined ? null : textHash(reference) >>> 1;
