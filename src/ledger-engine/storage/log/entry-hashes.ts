import { toDerivedText } from "#ledger-engine/rules/log/idempotency.ts";
import type { LogEntry } from "#ledger-engine/rules/types.ts";
import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";

/**
 * The bytes of each hexadecimal text in base64. Nearly all have 32, which are converted together: a byte after each of them
 * makes it end where a group of base64 ends.
 */
export function toBase64(hexes: readonly string[]): string[] {
  if (!hexes.every(({ length }) => length === 64)) {
    return hexes.map((hex) => Buffer.from(hex, "hex").toString("base64"));
  }
  const all = Buffer.from(hexes.map((hex) => `${hex}00`).join(""), "hex").toString("base64");
  return hexes.map((_, index) => `${all.slice(index * 44, index * 44 + 43)}=`);
}

/** The hash of the inputs in base64url, as the wire has it. A stored key may have none. */
export function inputsHash(entry: LogEntry, stored: string | null): string {
  if (stored === null && entry.idempotencyKey !== "") return "";
  const digest =
    stored === null
      ? sha256(toDerivedText(entry), "base64url")
      : Buffer.from(stored, "hex").toString("base64url");
  return digest === "" ? "" : `${digest}=`;
}
