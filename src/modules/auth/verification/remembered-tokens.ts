import type { ReadToken } from "./token-claims.ts";
import type { Principal } from "#platform/context.ts";

/** How long a verified token is remembered, in milliseconds. A token whose key was withdrawn is accepted for this time at most. */
export const VERIFIED_MS_MAX = 5 * 60_000;
/** Longest header by which a token is remembered, in characters. A token can be sent with any number of spaces before it. */
const REMEMBERED_LENGTH_MAX = 4096;
/**
 * The key of a remembered token: the last characters of its header, which belong to the signature. A look-up by a whole header of
 * 900 characters takes four times as long. Two headers with the same end have the same token, or one of them is forged.
 */
const endOf = (header: string): string => header.slice(-END_LENGTH);
const END_LENGTH = 32;

export interface VerifiedToken {
  /** The whole `Authorization` header with the token. */
  readonly header: string;
  readonly read: ReadToken;
  readonly issuer: string;
  /** The origin of the request for which the token was verified, with a slash at the end. */
  readonly origin: string;
  readonly principal: Principal;
  readonly verifiedMs: number;
  readonly expiresMs: number;
}

/** Verified tokens in memory, by their headers. The oldest one makes room for a new one. */
export class RememberedTokens {
  readonly #tokensMax: number;
  /** Verified tokens by the ends of their headers, oldest first. */
  readonly #verified = new Map<string, VerifiedToken>();

  constructor(tokensMax: number) {
    this.#tokensMax = tokensMax;
  }

  /** The token of a header, unless it has expired or was verified longer ago than `VERIFIED_MS_MAX`. */
  find(header: string | null, nowMs: number): VerifiedToken | undefined {
    const token = header === null ? undefined : this.#find(header);
    if (token === undefined || nowMs >= token.expiresMs) return undefined;
    // The absolute value, because the machine's clock may have been set back.
    return Math.abs(nowMs - token.verifiedMs) < VERIFIED_MS_MAX ? token : undefined;
  }

  /** Forgets the token of a header, if it is remembered. */
  forget(header: string): void {
    if (this.#find(header) !== undefined) this.#verified.delete(endOf(header));
  }

  forgetRevoked(isRevoked: (token: ReadToken) => boolean): void {
    for (const [end, { read }] of this.#verified) {
      if (read.isOwn && isRevoked(read)) this.#verified.delete(end);
    }
  }

  /** Remembers a token as the newest one, unless its header is too long. */
  add(token: VerifiedToken): void {
    if (token.header.length > REMEMBERED_LENGTH_MAX) return;
    if (this.#verified.size >= this.#tokensMax) {
      const [oldest] = this.#verified.keys();
      if (oldest !== undefined) this.#verified.delete(oldest);
    }
    this.#verified.set(endOf(token.header), token);
  }

  #find(header: string): VerifiedToken | undefined {
    const token = this.#verified.get(endOf(header));
    return token?.header === header ? token : undefined;
  }
}
