import { AuthStore } from "./store.ts";
import { ledgersOf } from "#modules/auth/core/client-ledgers.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { commonPatterns, outOfReach } from "#platform/access/ledger-patterns.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * The context of a request with all scopes that its client may ask tokens for; the first client may ask for `allScopes`, those of
 * the modules. It is for work that continues after the request in the client's name, because the official clients ask for tokens
 * with the scope of one operation. The client's scopes and ledgers are its present ones, because a token may be an hour old. The
 * context stays as it is if the client acts for a person, another server has issued the token, or authentication is off. Throws
 * `UNAUTHENTICATED` if the client is gone.
 */
export async function asClient(
  context: ServiceContext,
  allScopes: readonly string[],
): Promise<ServiceContext> {
  const { env, principal } = context;
  const settings = authSettings.of(env);
  // A token that was issued for an assertion names the assertion's issuer as its client, if no client presented the assertion.
  const isForeign = settings.FLORIN_TRUSTED_ISSUERS.some(
    ({ issuer }) => issuer === principal.issuer || issuer === principal.clientId,
  );
  const actsForItself = principal.subject === principal.clientId;
  if (settings.FLORIN_AUTH === "off" || isForeign || !actsForItself) return context;
  if (principal.clientId === settings.FLORIN_CLIENT_ID) {
    return { ...context, principal: { ...principal, scopes: new Set(allScopes) } };
  }
  const client = await new AuthStore(env).findClient(principal.clientId);
  if (client === undefined) throw outOfReach("the client of the token is gone");
  const ledgers = commonPatterns(principal.ledgers, ledgersOf(client.metadata));
  if (ledgers === undefined) throw outOfReach("the client is bound to other ledgers now");
  return { ...context, principal: { ...principal, scopes: new Set(client.scopes), ledgers } };
}
