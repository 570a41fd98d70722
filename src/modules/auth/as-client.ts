import { authSettings } from "./settings.ts";
import { AuthStore } from "./store.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * The context of a request with all scopes that its client may ask tokens for. It is for what goes on after the request in the
 * client's name: the official clients ask for tokens that have the scope of one operation. Where the client acts for a person,
 * another server has issued the token, or nobody needs one, the context stays as it is. `allScopes` are those that modules have.
 */
export async function asClient(
  context: ServiceContext,
  allScopes: readonly string[],
): Promise<ServiceContext> {
  const { env, principal } = context;
  const settings = authSettings.of(env);
  const isForeign = settings.FLORIN_TRUSTED_ISSUERS.some(
    ({ issuer }) => issuer === principal.issuer,
  );
  const actsForItself = principal.subject === principal.clientId;
  if (settings.FLORIN_AUTH === "off" || isForeign || !actsForItself) return context;
  const isFirst = principal.clientId === settings.FLORIN_CLIENT_ID;
  const scopes = isFirst
    ? allScopes
    : (await new AuthStore(env).findClient(principal.clientId))?.scopes;
  if (scopes === undefined) return context;
  return { ...context, principal: { ...principal, scopes: new Set(scopes) } };
}
