import type { Encoding } from "#modules/reconciliation/core/statements/model/options.ts";

/** The number of bytes of a text in an encoding. */
export function byteLength(text: string, encoding: Encoding): number {
  if (encoding === "utf-16le" || encoding === "utf-16be") return text.length * 2;
  if (encoding !== "utf-8") return text.length;
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 0x80) continue;
    // A surrogate pair has four bytes, two for each of its code units.
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}
