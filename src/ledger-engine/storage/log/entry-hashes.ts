import { toDerivedText } from "#ledger-engine/rules/log/idempotency.ts";
import type { LogEntry } from "#ledger-engine/rules/types.ts";
import { sha256 } from "#ledger-engine/storage/log/text-digest.ts";

/**
 * Converts hexadecimal texts to base64. Hashes of 32 bytes, as nearly all are, are converted together: one byte is added to
 * each, because 33 bytes are a whole number of base64 groups of 3 bytes.
 */
export function toBase64(hexes: readonly string[]): string[] {
  if (!hexes.every(({ length }) => length === 64)) {
    return hexes.map((hex) => Buffer.from(hex, "hex").toString("base64"));
  }
  const all = Buffer.from(hexes.map((hex) => `${hex}00`).join(""), "hex").toString("base64");
  return hexes.map((_, index) => `${all.slice(index * 44, index * 44 + 43)}=`);
}

/** The hash of an entry's inputs in padded base64url, as clients see it; empty for a key that was stored without a hash. */
export function inputsHash(entry: LogEntry, stored: string | null): string {
  if (stored === null && entry.idempotencyKey !== "") return "";
  const digest =
    stored === null
      ? sha256(toDerivedText(entry), "base64url")
      : Buffer.from(stored, "hex").toString("base64url");
  return digest === "" ? "" : `${digest}=`;
}
