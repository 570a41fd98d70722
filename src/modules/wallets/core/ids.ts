import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";
import { stringifyJson } from "#platform/json.ts";

/** Ids that are computed from idempotency keys, so that a repetition finds what the first request has created. */

const NAMESPACE = Buffer.from("0b6f2d6e4e2a4f3a9f0a2b9c1d8e7a31", "hex");

/** The id of a wallet or a hold that is created with a key. The kind keeps the ids of one key apart. */
export function derivedId(kind: "wallet" | "hold", key: string): string {
  const hash = createHash("sha1").update(NAMESPACE).update(`${kind}:${key}`).digest();
  hash.writeUInt8((hash.readUInt8(6) & 0x0f) | 0x50, 6); // version 5
  hash.writeUInt8((hash.readUInt8(8) & 0x3f) | 0x80, 8); // the variant of RFC 9562
  const hex = hash.toString("hex", 0, 16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}

export const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The hash by which requests to create a wallet are told apart. */
export function hashOfRequest(name: string, metadata: Readonly<Record<string, string>>): string {
  // An object literal would reorder keys that look like integers.
  const members = Object.entries(metadata)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${stringifyJson(key)}:${stringifyJson(value)}`);
  return sha256(`{"name":${stringifyJson(name)},"metadata":{${members.join(",")}}}`);
}

/** Longest idempotency key of a ledger, in characters. */
const LEDGER_KEY_LENGTH_MAX = 255;

/**
 * The idempotency key of a write in the ledger, all of whose clients share the keys. Writes with a key of a client have the scope `key`.
 */
export function ledgerKey(scope: "key" | "wallet" | "balance", key: string): string {
  const whole = `wallets/${scope}/${key}`;
  return whole.length <= LEDGER_KEY_LENGTH_MAX ? whole : `wallets/${scope}/${sha256(key)}`;
}
