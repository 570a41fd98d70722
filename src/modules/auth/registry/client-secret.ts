import { createHash, timingSafeEqual } from "node:crypto";

/** The stored form of a client's secret: base64 of its SHA-256. */
export const hashSecret = (clear: string): string =>
  createHash("sha256").update(clear).digest("base64");

/** Whether one of the hashes is that of a secret. The comparison takes the same time wherever they differ. */
export function matchesSecret(clear: string, hashes: readonly string[]): boolean {
  const presented = Buffer.from(hashSecret(clear));
  const matches = hashes.map((hash) => timingSafeEqual(Buffer.from(hash), presented));
  return matches.includes(true);
}

/** The last characters of a secret, which lists show so that its owner can tell secrets apart. */
export const lastDigitsOf = (clear: string): string => clear.slice(-LAST_DIGITS_LENGTH);

const LAST_DIGITS_LENGTH = 4;
