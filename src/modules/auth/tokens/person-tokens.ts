import type { TokenPermissions } from "./current-permissions.ts";
import type { GrantPorts } from "./grant-handler.ts";
import type { IssuedTokens, TokenRequest } from "./requests.ts";
import { PERSON_TOKEN_SECONDS } from "./token-signer.ts";
import type { Credential } from "#modules/auth/core/client.ts";
import { baseOfIssuer } from "#modules/auth/core/issuer-url.ts";
import { organizationsOf } from "#modules/auth/core/membership.ts";
import { OPENID_SCOPE, withoutProfile } from "#modules/auth/core/scopes.ts";
import type { Grant } from "#modules/auth/grants/authorization-codes.ts";
import { authSettings } from "#modules/auth/settings.ts";

/** The grant of a person, and the client that gets tokens for it. */
export interface PersonTokens {
  readonly grant: Grant;
  readonly client: Credential;
  /** The scopes of the grant, or fewer, and the ledgers that the client and the person reach. */
  readonly permissions: TokenPermissions;
  /** The code that was redeemed; absent when a refresh token was used. */
  readonly code?: string;
}

/**
 * Signs the tokens that a client gets for a person: an access token, and with the scope `openid` an ID token. A membership client gets
 * membership tokens, whose issuer is the public URL.
 */
export async function issuePersonTokens(
  { issuer }: TokenRequest,
  { signer, context }: GrantPorts,
  { grant, client, permissions: { scopes, ledgers, ofPerson }, code }: PersonTokens,
): Promise<IssuedTokens> {
  const { clientId } = client;
  const { subject, authTime, nonce, refreshToken, membership } = grant;
  const scope = withoutProfile(scopes).join(" ");
  const content = { issuer, clientId, subject, scope, ledgers, grantId: grant.id };
  const lifetimeSeconds = membership === "root" ? rootTokenSeconds(context) : PERSON_TOKEN_SECONDS;
  const accessToken =
    membership === null
      ? await signer.signAccessToken(content, lifetimeSeconds)
      : await signer.signMembershipToken({ ...content, kind: membership }, lifetimeSeconds);
  const about = {
    issuer: membership === null ? issuer : baseOfIssuer(issuer),
    clientId,
    subject,
    authTime,
    nonce,
    accessToken,
    ...(membership === null ? {} : { organizations: organizationsOf(issuer, ofPerson) }),
  };
  return {
    accessToken,
    expiresInSeconds: lifetimeSeconds,
    scope: scopes.join(" "),
    refreshToken,
    idToken: scopes.includes(OPENID_SCOPE)
      ? await signer.signIdToken({ ...about, ...(code === undefined ? {} : { code }) })
      : undefined,
  };
}

/**
 * How long a root token lives, in seconds: as long as a refresh token, because the command line does not refresh it before it asks whom it is
 * about. Each use of it looks at the grant and the person, so it ends with them, and with the key that has signed it.
 */
const rootTokenSeconds = ({ env }: GrantPorts["context"]): number =>
  Math.floor(authSettings.of(env).FLORIN_REFRESH_TOKEN_LIFETIME / 1000);
