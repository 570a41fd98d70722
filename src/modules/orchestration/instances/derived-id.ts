import { createHash } from "node:crypto";
import { stringifyJson } from "#platform/json.ts";

/** The UUID of values: the same values always give the same one. It has version 8, which is for such uses (RFC 9562, section 5.8). */
export function derivedId(values: readonly unknown[]): string {
  const hash = createHash("sha256").update(stringifyJson(values)).digest("hex");
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(18, 20)}`,
    hash.slice(20, 32),
  ].join("-");
}
