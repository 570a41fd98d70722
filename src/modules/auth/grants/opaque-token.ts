import { createHash, randomBytes } from "node:crypto";

/** Random bytes of a code or a refresh token: nobody guesses it, so that its hash needs no salt. */
const TOKEN_BYTES = 32;

/** A text that means nothing but to its issuer, in characters that a URL takes as they are. */
export const newOpaqueToken = (): string => randomBytes(TOKEN_BYTES).toString("base64url");

/** The stored form of such a text. */
export const hashToken = (token: string): string =>
  createHash("sha256").update(token).digest("base64");
