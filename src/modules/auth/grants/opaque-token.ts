import { createHash, randomBytes } from "node:crypto";

/** Random bytes of a token. Nobody can guess 256 bits, so the hash needs no salt. */
const TOKEN_BYTES = 32;

/** A new opaque token: a random text in base64url, which needs no encoding in a URL. */
export const newOpaqueToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

/** The stored form of an opaque token: base64 of its SHA-256. */
export const hashToken = (token: string): string =>
  createHash("sha256").update(token).digest("base64");
