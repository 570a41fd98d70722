import { ifValid } from "./introspect.ts";
import type { Credential } from "#modules/auth/core/client.ts";
import { kindOfType, MEMBERSHIP_KINDS } from "#modules/auth/core/membership.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { GrantStore } from "#modules/auth/grants/grant-store.ts";
import { hashToken } from "#modules/auth/grants/opaque-token.ts";
import { armRevocationSweep, revocationOf } from "#modules/auth/revocations/revoke.ts";
import { typeOfToken } from "#modules/auth/verification/token-claims.ts";
import type { MembershipReader, TokenReader } from "#modules/auth/verification/token-verifier.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { storeWithReserve } from "#platform/db/reserve.ts";

export interface TokenRevocation {
  readonly token: string;
  readonly caller: Credential;
  readonly url: string;
  readonly reader: TokenReader & MembershipReader;
}

/**
 * Revokes a token of the caller (RFC 7009). With a refresh token its whole grant ends, and so it does with the membership token of a
 * person, which may live longer than the revocation of a single token is kept. A token that is not valid is ignored; a token of another
 * client is refused. Throws `OAuthError`.
 */
export async function revokeToken(
  context: ServiceContext,
  { token, caller, url, reader }: TokenRevocation,
): Promise<void> {
  const store = GrantStore.from(context);
  const refresh = await store.findRefreshToken(hashToken(token));
  if (refresh !== undefined) {
    assertOwn(refresh.grant.clientId, caller);
    return store.revokeGrant(refresh.grant.id);
  }
  const isMembership = kindOfType(typeOfToken(token)) !== undefined;
  const read = await ifValid(() =>
    isMembership ? reader.readMembership(token, MEMBERSHIP_KINDS, url) : reader.read(token, url),
  );
  if (read === undefined || !read.isOwn) return;
  assertOwn(read.clientId, caller);
  if (isMembership && read.grantId !== undefined) return store.revokeGrant(read.grantId);
  if (read.tokenId === undefined) return;
  const revocation = revocationOf(context, { kind: "token", value: read.tokenId });
  await storeWithReserve(databaseOf(context.env), [revocation]);
  await armRevocationSweep(context);
}

function assertOwn(clientId: string, caller: Credential): void {
  if (clientId === caller.clientId) return;
  throw new OAuthError("invalid_client", "token was not issued for this client");
}
