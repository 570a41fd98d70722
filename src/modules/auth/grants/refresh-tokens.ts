import { type Grant, refreshTokenRow } from "./authorization-codes.ts";
import { type GrantRow, GrantStore, type RefreshTokenRow } from "./grant-store.ts";
import { hashToken, newOpaqueToken } from "./opaque-token.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import type { ServiceContext } from "#platform/context.ts";
import { toMillis } from "#platform/time.ts";

/** A refresh token that may be used, and its grant. */
export interface UsableRefreshToken {
  readonly token: RefreshTokenRow;
  readonly grant: GrantRow;
}

/**
 * Finds a refresh token of a client. A token that was used already has leaked, either to the client that presents it now or to
 * the one that used it, so its whole grant ends. Throws `OAuthError` unless the token may be used.
 */
export async function findRefreshToken(
  context: ServiceContext,
  text: string,
  clientId: string,
): Promise<UsableRefreshToken> {
  const store = GrantStore.from(context);
  const found = await store.findRefreshToken(hashToken(text));
  if (found === undefined || found.grant.clientId !== clientId) throw invalidToken();
  if (found.token.successor !== null) {
    await store.revokeGrant(found.grant.id);
    throw invalidToken();
  }
  if (found.token.expiresMs <= toMillis(context.clock())) throw invalidToken();
  return found;
}

/**
 * Uses a refresh token and makes its successor. Of two uses at the same time one succeeds. The other is refused but revokes
 * nothing: it comes from the same client, which presented a token that was still valid.
 */
export async function rotateRefreshToken(
  context: ServiceContext,
  { token, grant }: UsableRefreshToken,
): Promise<Grant> {
  const refreshToken = newOpaqueToken();
  const successor = refreshTokenRow(context, grant.id, refreshToken);
  if (!(await GrantStore.from(context).rotate(token, successor))) throw invalidToken();
  const { id, clientId, subject, authTime, membership } = grant;
  const scopes = [...splitScopes(grant.scopes)];
  return { id, clientId, subject, scopes, authTime, membership, nonce: undefined, refreshToken };
}

const invalidToken = () => new OAuthError("invalid_grant", "invalid refresh token");
