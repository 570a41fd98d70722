import { createHash } from "node:crypto";
import { SignJWT } from "jose";
import {
  accessTokenClaims,
  type AccessTokenGrant,
  membershipTokenClaims,
  type MembershipTokenGrant,
} from "./access-token.ts";
import { MEMBERSHIP_TOKEN_TYPES, type Organization } from "#modules/auth/core/membership.ts";
import { type SigningKeys, TOKEN_ALGORITHM } from "#modules/auth/keys/signing-keys.ts";
import { type Clock, toMillis } from "#platform/time.ts";

/** Lifetime of an access token of a client that acts for itself, in seconds. */
export const CLIENT_TOKEN_SECONDS = 3600;
/** Lifetime of an access token of a person, in seconds. A refresh token or the browser's session gives the next one. */
export const PERSON_TOKEN_SECONDS = 300;
/** Lifetime of an ID token, in seconds. */
const ID_TOKEN_SECONDS = 3600;

/** The content of an ID token. */
export interface IdTokenGrant {
  readonly issuer: string;
  readonly clientId: string;
  readonly subject: string;
  readonly authTime: number;
  readonly nonce: string | undefined;
  readonly accessToken: string;
  /** The code for which the token is issued, if there is one. */
  readonly code?: string;
  /** The organisations that a membership client may see; absent for other clients. */
  readonly organizations?: readonly Organization[];
}

/** Signs tokens with the current key. */
export class TokenSigner {
  readonly #keys: Pick<SigningKeys, "current">;
  readonly #clock: Clock;

  constructor(keys: Pick<SigningKeys, "current">, clock: Clock) {
    this.#keys = keys;
    this.#clock = clock;
  }

  /** Makes sure that there is a key, before a code or a refresh token is used up. */
  async prepare(): Promise<void> {
    await this.#keys.current();
  }

  signAccessToken(
    grant: Omit<AccessTokenGrant, "issuedAt" | "lifetimeSeconds">,
    lifetimeSeconds: number,
  ): Promise<string> {
    return this.#sign(accessTokenClaims({ ...grant, issuedAt: this.#now(), lifetimeSeconds }));
  }

  signIdToken(grant: IdTokenGrant): Promise<string> {
    const issuedAt = this.#now();
    return this.#sign({
      at_hash: halfHash(grant.accessToken),
      aud: [grant.clientId],
      auth_time: grant.authTime,
      azp: grant.clientId,
      ...(grant.code === undefined ? {} : { c_hash: halfHash(grant.code) }),
      client_id: grant.clientId,
      exp: issuedAt + ID_TOKEN_SECONDS,
      iat: issuedAt,
      iss: grant.issuer,
      ...(grant.nonce === undefined ? {} : { nonce: grant.nonce }),
      ...(grant.organizations === undefined ? {} : { org: grant.organizations }),
      sub: grant.subject,
    });
  }

  signMembershipToken(
    grant: Omit<MembershipTokenGrant, "issuedAt" | "lifetimeSeconds">,
    lifetimeSeconds: number,
  ): Promise<string> {
    const claims = membershipTokenClaims({ ...grant, issuedAt: this.#now(), lifetimeSeconds });
    return this.#sign(claims, MEMBERSHIP_TOKEN_TYPES[grant.kind]);
  }

  async #sign(claims: Readonly<Record<string, unknown>>, typ = "JWT"): Promise<string> {
    const { kid, privateKey } = await this.#keys.current();
    return new SignJWT(claims)
      .setProtectedHeader({ alg: TOKEN_ALGORITHM, kid, typ })
      .sign(privateKey);
  }

  #now(): number {
    return Math.floor(toMillis(this.#clock()) / 1000);
  }
}

/** The left half of a hash, which binds a token or a code to an ID token (OpenID Connect Core §3.1.3.6). */
const halfHash = (text: string): string =>
  createHash("sha256").update(text, "ascii").digest().subarray(0, 16).toString("base64url");
