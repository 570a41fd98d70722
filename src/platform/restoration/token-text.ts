import { createHash, createHmac, randomBytes } from "node:crypto";

const TOKEN_BYTES = 32;

/** The form of a token of a restoration. */
export const RESTORATION_TOKEN = /^restoration-[\w-]{43}$/;

const toToken = (bytes: Buffer): string => `restoration-${bytes.toString("base64url")}`;

/** A token for the requests of a restoration: 256 random bits. */
export const newRestorationToken = (): string => toToken(randomBytes(TOKEN_BYTES));

/**
 * The token that whoever has the secret of a client gives the restoration of a backup, by the SHA-256 of its manifest. It is always the same, so
 * that a run finds it again where nothing was kept, and nobody without the secret does.
 */
export const derivedRestorationToken = (secret: string, backup: string): string =>
  toToken(createHmac("sha256", secret).update(`florin restoration\n${backup}`).digest());

/** The hash of a token, in hexadecimal digits. A token has 256 bits that nobody guesses, so that nobody finds it by its hash. */
export const restorationTokenHash = (token: string): string =>
  createHash("sha256").update(token).digest("hex");
