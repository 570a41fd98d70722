import { authorityOfClient, authorityOfPerson } from "#modules/auth/authority/holders.ts";
import { type Authority, commonAuthority } from "#modules/auth/core/authority.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import { AuthStore } from "#modules/auth/registry/store.ts";
import { authSettings } from "#modules/auth/settings.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";

/** The issuer of the principal while authentication is off. No token can name it, because issuers of tokens are URLs. */
const OWN_WORK = "florin";

/**
 * The present permissions of a principal that was stored with work to do later. They are at most those that it had when it was
 * stored, because a secret by which they were obtained may have ended since, and at most those that its client and its person
 * have now. Undefined if one of them is gone.
 *
 *     FLORIN_AUTH=off, the first client          what was stored
 *     a client for itself                        what was stored and the client may do now
 *     a person, by a client                      what was stored and both may do now
 *     a token of another issuer, or for an       what was stored, while the issuer is trusted
 *     assertion that no client presented
 *     a token for an assertion that a client     what was stored, in the ledgers that the client reaches now
 *     presented
 */
export async function currentPrincipal(
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
  // The console's own client acts for people only.
  const find = (id: string) => (isPerson ? findClient(env, id) : new AuthStore(env).findClient(id));
  const [client, person] = await Promise.all([
    clientId === first ? undefined : find(clientId),
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
