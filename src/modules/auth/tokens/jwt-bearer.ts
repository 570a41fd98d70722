import { presentsSecret } from "./client-authenticator.ts";
import type { GrantHandler, GrantPorts } from "./grant-handler.ts";
import type { TokenRequest } from "./requests.ts";
import { exchangeStackToken, isStackToken, readAssertion } from "./stack-token.ts";
import { CLIENT_TOKEN_SECONDS, PERSON_TOKEN_SECONDS } from "./token-signer.ts";
import { baseOfIssuer, isSameIssuer } from "#modules/auth/core/issuer-url.ts";
import { OAuthError } from "#modules/auth/core/oauth-error.ts";
import { splitScopes, withoutProfile } from "#modules/auth/core/scopes.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { ReadToken } from "#modules/auth/verification/token-claims.ts";
import { commonPatterns } from "#platform/access/ledger-patterns.ts";

/**
 * Exchanges a token of a trusted issuer, the assertion, for one of this server (RFC 7523). Of this server's own tokens, only a stack
 * token can be exchanged (`stack-token.ts`). The assertion alone decides on the
 * scopes. Requested scopes are ignored, because the official command line asks for `openid email` and works with what it gets.
 * The client need not authenticate, but if it presents a secret, the secret must be right.
 */
export const jwtBearer: GrantHandler = async (request, ports) => {
  const { assertion = "", scope: requested = "" } = request.form;
  if (assertion === "") throw new OAuthError("invalid_request", "assertion missing");
  const client = presentsSecret(request)
    ? await ports.clients.authenticate(request, { allowsPublic: false })
    : undefined;
  if (isStackToken(assertion)) return exchangeStackToken(request, ports, { assertion, client });
  const read = await readAssertion(() => ports.reader.read(assertion, request.url));
  assertMeantForUs(read, request, ports);
  const scope = withoutProfile([...splitScopes(read.scope)]).join(" ");
  const lifetimeSeconds = read.person === undefined ? CLIENT_TOKEN_SECONDS : PERSON_TOKEN_SECONDS;
  const { issuer } = request;
  // A client that is bound to ledgers must not reach others by an assertion of somebody else.
  const ledgers = commonPatterns(read.principal.ledgers, client?.ledgers ?? []);
  if (ledgers === undefined) {
    throw new OAuthError("invalid_grant", "the assertion allows no ledger that the client may use");
  }
  const accessToken = await ports.signer.signAccessToken(
    {
      issuer,
      // The issuer's clients are not clients of this server, even if one has the id of one of them.
      clientId: client?.clientId ?? read.principal.issuer,
      ...(read.person === undefined ? {} : { subject: read.person }),
      audience: read.audience,
      scope,
      ledgers,
    },
    lifetimeSeconds,
  );
  const isAsRequested = scope === requested;
  return {
    accessToken,
    expiresInSeconds: lifetimeSeconds,
    scope: isAsRequested ? undefined : scope,
  };
};

/**
 * Throws unless an assertion is of another issuer and for this server. A token of this server would live for ever if it could be
 * exchanged for the next one.
 */
function assertMeantForUs(read: ReadToken, { issuer }: TokenRequest, { context }: GrantPorts) {
  if (read.isOwn) {
    throw new OAuthError("invalid_grant", "the assertion is a token of this server itself");
  }
  const trusted = authSettings.of(context.env).FLORIN_TRUSTED_ISSUERS;
  const audiences = trusted.find((item) => item.issuer === read.principal.issuer)?.audiences ?? [];
  const server = [issuer, baseOfIssuer(issuer), `${issuer}/oauth/token`];
  const isMeant = read.audience.some(
    (item) => audiences.includes(item) || server.some((own) => isSameIssuer(own, item)),
  );
  if (isMeant) return;
  throw new OAuthError("invalid_grant", "the audience of the assertion is not this server");
}
