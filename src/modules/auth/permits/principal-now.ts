import { authorityOfClient, authorityOfPerson } from "#modules/auth/authority/holders.ts";
import { type Authority, commonAuthority } from "#modules/auth/core/authority.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import { AuthStore } from "#modules/auth/registry/store.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";

/** The issuer of who acts while nobody has to say who they are. No token names it, because issuers are URLs. */
const OWN_WORK = "florin";

/**
 * What a principal may do now that was stored with something that acts for it later: no more than it could then, because a secret by
 * which it was made may have ended since, and no more than its client and its person may do now. Undefined where one of them is gone.
 *
 *     FLORIN_AUTH=off, the first client          what it could then
 *     a client for itself                        what it could then and the client may do now
 *     a person, by a client                      what it could then and both may do now
 *     a token of another issuer                  what it could then, as long as the issuer is trusted
 *     a token that an assertion has got for a    what it could then, in the ledgers that the client reaches now
 *     client
 */
export async function principalNow(
  { env }: Pick<ServiceContext, "env">,
  stored: Principal,
): Promise<Principal | undefined> {
  const { issuer, subject, clientId, isPerson } = stored;
  const {
    FLORIN_AUTH,
    FLORIN_CLIENT_ID: first,
    FLORIN_TRUSTED_ISSUERS: trusted,
  } = authSettings.of(env);
  const isForeign = trusted.some((known) => known.issuer === issuer || known.issuer === clientId);
  if (FLORIN_AUTH === "off" || issuer === OWN_WORK || isForeign) return stored;
  const people = new PeopleStore(env);
  const [client, person] = await Promise.all([
    clientId === first ? undefined : new AuthStore(env).findClient(clientId),
    isPerson ? people.find(subject) : undefined,
  ]);
  if ((client === undefined && clientId !== first) || (isPerson && person === undefined)) {
    return undefined;
  }
  const then = authorityOfPrincipal(stored);
  const byClient = client === undefined ? then : authorityOfClient(client);
  const isSaidByOther = subject !== clientId && !isPerson;
  const ofClient = isSaidByOther ? { ...byClient, scopes: then.scopes } : byClient;
  const both =
    person === undefined ? ofClient : commonAuthority(ofClient, authorityOfPerson(person));
  const { scopes, ledgers } = commonAuthority(then, both);
  return { ...stored, scopes: new Set(scopes), ledgers };
}

const authorityOfPrincipal = ({ scopes, ledgers }: Principal): Authority => ({
  scopes: [...scopes],
  hasAll: false,
  ledgers,
  isTrusted: false,
});
