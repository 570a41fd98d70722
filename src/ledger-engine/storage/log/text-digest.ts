import { hash } from "node:crypto";

/** Room for the bytes of a text, in a buffer that all texts share: each character takes three bytes at most. */
const SCRATCH = new Uint8Array(65_536);
const LENGTH_MAX = SCRATCH.length / 3;
const ENCODER = new TextEncoder();

/**
 * SHA-256 (FIPS 180-4) over a text in UTF-8; a lone surrogate counts as U+FFFD. `node:crypto` takes texts too, but the Worker's runtime makes a
 * buffer for each, which is a fifth of the time of a hash over some hundred characters.
 */
export function sha256(text: string, encoding: "hex" | "base64url"): string {
  if (text.length > LENGTH_MAX) return hash("sha256", text, encoding);
  const { written } = ENCODER.encodeInto(text, SCRATCH);
  return hash("sha256", SCRATCH.subarray(0, written), encoding);
}
