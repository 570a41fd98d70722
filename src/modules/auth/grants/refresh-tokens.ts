import { type Grant, refreshTokenRow } from "./authorization-codes.ts";
import { type GrantRow, GrantStore, type RefreshTokenRow } from "./grant-store.ts";
import { hashToken, newOpaqueToken } from "./opaque-token.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { splitScopes } from "#modules/auth/core/scopes.ts";
import type { ServiceContext } from "#platform/context.ts";
import { toMillis } from "#platform/time.ts";

/** A refresh token that may be used, with what it was given for. */
export interface UsableRefreshToken {
  readonly token: RefreshTokenRow;
  readonly grant: GrantRow;
}

/**
 * The refresh token of a client. One that was used already has leaked, to the one who presents it now or to the one who has
 * used it: its whole family is revoked.
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
 * Uses a refresh token, and gives the next one of its family. Of two uses at the same time one wins; the other is refused and
 * revokes nothing, because it is the same client in a hurry: it has presented a token that was still good.
 */
export async function rotateRefreshToken(
  context: ServiceContext,
  { token, grant }: UsableRefreshToken,
): Promise<Grant> {
  const refreshToken = newOpaqueToken();
  const successor = refreshTokenRow(context, grant.id, refreshToken);
  if (!(await GrantStore.from(context).rotate(token, successor))) throw invalidToken();
  const { id, clientId, subject, authTime } = grant;
  const scopes = [...splitScopes(grant.scopes)];
  return { id, clientId, subject, scopes, authTime, nonce: undefined, refreshToken };
}

const invalidToken = () => new OAuthError("invalid_grant", "invalid refresh token");
