import { createHash, timingSafeEqual } from "node:crypto";
import {
  type CodeCause,
  type CodeRow,
  GrantStore,
  type MadeGrant,
  type RefreshTokenRow,
} from "./grant-store.ts";
import { hashToken, newOpaqueToken } from "./opaque-token.ts";
import type { MembershipKind } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { isCodeVerifier } from "#modules/auth/core/pkce.ts";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { ServiceContext } from "#platform/context.ts";
import { newId } from "#platform/ids.ts";
import { toMillis } from "#platform/time.ts";

/** The request that a code answers: a person has logged in for a client. */
export interface CodeRequest {
  readonly clientId: string;
  readonly subject: string;
  /** The redirect URI as the client has sent it to the authorization endpoint. */
  readonly redirectUri: string;
  /** The scopes that are granted, which may be fewer than were asked for. */
  readonly scopes: readonly string[];
  readonly nonce?: string | undefined;
  /** The PKCE challenge, of the method S256; a public client must have one. */
  readonly codeChallenge?: string | undefined;
  /** When the person has logged in, in seconds since the epoch. */
  readonly authTime: number;
}

/** How long a client may take to redeem a code, in milliseconds. */
export const CODE_LIFETIME_MS = 5 * 60_000;

/** The scope that asks for a refresh token. */
export const OFFLINE_SCOPE = "offline_access";

/**
 * Makes a code and stores its hash. Only the return value contains the code. Returns undefined if the code's cause is gone: the
 * person has logged out meanwhile, or has another password.
 */
export async function issueCode(
  context: ServiceContext,
  request: CodeRequest,
  cause: CodeCause,
): Promise<string | undefined> {
  const code = newOpaqueToken();
  const row = {
    hash: hashToken(code),
    clientId: request.clientId,
    subject: request.subject,
    redirectUri: request.redirectUri,
    scopes: request.scopes.join(" "),
    nonce: request.nonce ?? null,
    codeChallenge: request.codeChallenge ?? null,
    authTime: request.authTime,
    expiresMs: toMillis(context.clock()) + CODE_LIFETIME_MS,
  };
  return (await GrantStore.from(context).insertCode(row, cause)) ? code : undefined;
}

/** The parameters that an authenticated client presents to the token endpoint. */
export interface CodeRedemption {
  readonly code: string;
  readonly clientId: string;
  /** Whether the client is public, so that only the PKCE challenge proves that the code is its own. */
  readonly isPublic: boolean;
  readonly redirectUri: string | undefined;
  readonly codeVerifier: string | undefined;
}

/** A grant from which tokens are made. */
export interface Grant {
  readonly id: string;
  readonly clientId: string;
  readonly subject: string;
  readonly scopes: readonly string[];
  readonly authTime: number;
  readonly nonce: string | undefined;
  /** The kind of membership token that the grant gives; null for tokens of the API. */
  readonly membership: MembershipKind | null;
  /** The next refresh token; undefined without the scope `offline_access`. */
  readonly refreshToken: string | undefined;
}

/**
 * Redeems a code. Of two redemptions at the same time one succeeds. A later redemption shows that the code has leaked, so it
 * revokes all tokens that were made from the code. Throws `OAuthError`.
 *
 *     code ─► redeemed once ─► grant ─► access tokens, ID token, and a refresh token with `offline_access`
 *               │ again                    └─► refresh token ─► used once ─► the next one …
 *               ▼                                                 │ again
 *             the grant ends, with all its tokens ◄───────────────┘
 */
export async function redeemCode(
  context: ServiceContext,
  redemption: CodeRedemption,
): Promise<Grant> {
  const store = GrantStore.from(context);
  const code = await store.findCode(hashToken(redemption.code));
  if (code === undefined) throw invalidCode();
  assertOwn(code, redemption);
  if (code.grantId !== null) {
    await store.revokeGrant(code.grantId);
    throw invalidCode();
  }
  const nowMs = toMillis(context.clock());
  if (code.expiresMs <= nowMs) throw invalidCode();
  return claim(context, code);
}

async function claim(context: ServiceContext, code: CodeRow): Promise<Grant> {
  const { clientId, subject, authTime, nonce } = code;
  const { made, ...begun } = beginGrant(context, code.scopes);
  if (!(await GrantStore.from(context).redeemCode(code, made))) throw invalidCode();
  const common = { ...begun, clientId, subject, authTime };
  return { ...common, nonce: nonce ?? undefined, membership: null };
}

/** A grant that begins with these scopes, which spaces separate: its id and its first refresh token, and what the redemption stores of both. */
export function beginGrant(
  context: ServiceContext,
  granted: string,
): Pick<Grant, "id" | "scopes" | "refreshToken"> & { readonly made: MadeGrant } {
  const id = newId();
  const scopes = [...splitScopes(granted)];
  const refreshToken = scopes.includes(OFFLINE_SCOPE) ? newOpaqueToken() : undefined;
  const row = refreshToken === undefined ? undefined : refreshTokenRow(context, id, refreshToken);
  return { id, scopes, refreshToken, made: { grantId: id, refreshToken: row } };
}

/** The row of a refresh token that begins its life now. */
export const refreshTokenRow = (
  { env, clock }: ServiceContext,
  grantId: string,
  token: string,
): RefreshTokenRow => ({
  hash: hashToken(token),
  grantId,
  expiresMs: toMillis(clock()) + authSettings.of(env).FLORIN_REFRESH_TOKEN_LIFETIME,
  successor: null,
});

/** Throws unless a code is presented by the client, with the redirect URI and with the verifier of its request. */
function assertOwn(code: CodeRow, redemption: CodeRedemption): void {
  if (code.clientId !== redemption.clientId) throw invalidCode();
  if (code.redirectUri !== redemption.redirectUri) {
    throw new OAuthError("invalid_grant", "redirect_uri does not correspond");
  }
  assertVerifier(code.codeChallenge, redemption);
}

/**
 * Checks the PKCE verifier. A verifier without a challenge is refused, because somebody may have removed the challenge from the
 * authorization request (RFC 9700 §4.8.2).
 */
function assertVerifier(
  challenge: string | null,
  { codeVerifier, isPublic }: Pick<CodeRedemption, "codeVerifier" | "isPublic">,
): void {
  if (challenge === null && codeVerifier === undefined && !isPublic) return;
  if (codeVerifier === undefined)
    throw new OAuthError("invalid_request", "code_challenge required");
  if (challenge === null || !matches(codeVerifier, challenge)) {
    throw new OAuthError("invalid_grant", "invalid code challenge");
  }
}

function matches(verifier: string, challenge: string): boolean {
  if (!isCodeVerifier(verifier)) return false;
  const expected = Buffer.from(challenge, "base64url");
  const presented = createHash("sha256").update(verifier).digest();
  return expected.length === presented.length && timingSafeEqual(expected, presented);
}

/** The refusal of a code. It gives no reason, because the client may not be the one that has asked for the code. */
const invalidCode = () => new OAuthError("invalid_grant", "invalid code");
