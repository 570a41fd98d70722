import { and, eq, gte, or, type SQL, sql } from "drizzle-orm";
import { hasUnchangedAuthority } from "#modules/auth/authority/conditions.ts";
import { authorityOfClient, authorityOfPerson } from "#modules/auth/authority/holders.ts";
import {
  type Authority,
  areAll,
  commonAuthority,
  FULL_AUTHORITY,
} from "#modules/auth/core/authority.ts";
import { isBuiltIn } from "#modules/auth/core/built-in-clients.ts";
import { mayHave } from "#modules/auth/core/scopes.ts";
import { authGrants } from "#modules/auth/grants/tables.ts";
import { PeopleStore } from "#modules/auth/people/store.ts";
import { authPeople } from "#modules/auth/people/tables.ts";
import { findClient } from "#modules/auth/registry/find-client.ts";
import { AuthStore } from "#modules/auth/registry/store.ts";
import { authRevocations } from "#modules/auth/revocations/tables.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { authClients } from "#modules/auth/tables.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";
import { commonPatterns, outOfReach } from "#platform/access/ledger-patterns.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** The maker of a change of clients or people, with the present authority. */
export interface Actor {
  readonly authority: Authority;
  /** Holds as long as the actor has this authority. It goes into the batch of the change. */
  readonly holds: SQL;
  /** The client or the person whose links end with its scopes, such as `client:shop`; empty if there is none. */
  readonly maker: string;
  /** Whether the actor is the first client of the settings, or authentication is off. No change takes this away. */
  readonly isRoot: boolean;
}

/**
 * The actor of a request, by what is stored now, because a token may be an hour old. Throws `UNAUTHENTICATED` if the client, the
 * person or the token is gone, or may no longer write clients.
 *
 *     FLORIN_AUTH=off, the first client        everything
 *     a client for itself                      what the client may do: its secret gives it a token for all of that
 *     a person, by a client                    what the person, the client and the token allow, all three
 *     a token of another issuer, or for an     what the token allows, because nothing else is known of its holder
 *     assertion of one
 */
export async function actorOf(context: ServiceContext): Promise<Actor> {
  const { env, principal } = context;
  const { FLORIN_AUTH, FLORIN_CLIENT_ID: first } = authSettings.of(env);
  if (FLORIN_AUTH === "off") return rootIf(sql`TRUE`);
  const holds = isLive(principal);
  const actor = await (isSelf(principal) && principal.clientId === first
    ? rootIf(holds)
    : findActor(context, holds));
  if (actor === undefined || !(await isTrue(context, actor.holds))) {
    throw outOfReach("the client, the user or the login of the token has ended");
  }
  if (mayHave(actor.authority.scopes, WRITE) || actor.isRoot) return actor;
  throw outOfReach(`the client or the user of the token has lost the scope ${WRITE}`);
}

const WRITE = "auth:write";

const rootIf = (holds: SQL): Actor => ({
  authority: FULL_AUTHORITY,
  holds,
  maker: "",
  isRoot: true,
});

/** Whether a client acts for itself, by a token of this server. */
const isSelf = ({ subject, clientId, token }: Principal): boolean =>
  token !== undefined && token.grantId === undefined && subject === clientId;

function findActor(context: ServiceContext, holds: SQL): Promise<Actor | undefined> {
  const { env, principal } = context;
  const { FLORIN_TRUSTED_ISSUERS: trusted } = authSettings.of(env);
  if (principal.token?.grantId !== undefined) return findPersonActor(context, holds);
  // A token that was issued for an assertion names the assertion's issuer as its client, if no client presented the assertion.
  const isIssuers = trusted.some(({ issuer }) => issuer === principal.clientId);
  if (isSelf(principal) && !isIssuers) return findClientActor(context, holds);
  return Promise.resolve({ authority: tokenAuthority(principal), holds, maker: "", isRoot: false });
}

async function findClientActor(
  { env, principal: { clientId, ledgers } }: ServiceContext,
  holds: SQL,
): Promise<Actor | undefined> {
  const client = await new AuthStore(env).findClient(clientId);
  if (client === undefined) return undefined;
  const authority = authorityOfClient(client);
  const common = commonPatterns(authority.ledgers, ledgers);
  if (common === undefined) return undefined;
  return {
    authority: { ...authority, ledgers: common },
    holds: and(holds, hasUnchangedAuthority(authClients, client)) ?? holds,
    maker: actorKey("client", clientId),
    isRoot: false,
  };
}

async function findPersonActor(
  { env, principal }: ServiceContext,
  holds: SQL,
): Promise<Actor | undefined> {
  const [client, person] = await Promise.all([
    findClient(env, principal.clientId),
    new PeopleStore(env).find(principal.subject),
  ]);
  if (client === undefined || person === undefined) return undefined;
  const allowed = commonAuthority(authorityOfClient(client), authorityOfPerson(person));
  return {
    authority: commonAuthority(allowed, tokenAuthority(principal)),
    holds:
      and(
        holds,
        // A client that is built in never changes.
        isBuiltIn(client.id) ? undefined : hasUnchangedAuthority(authClients, client),
        hasUnchangedAuthority(authPeople, person),
      ) ?? holds,
    maker: actorKey("person", person.id),
    isRoot: false,
  };
}

export const actorKey = (kind: "client" | "person", id: string): string => `${kind}:${id}`;

/** The authority that a token has by itself. */
function tokenAuthority({ scopes, ledgers }: Principal): Authority {
  const named = [...scopes];
  return { scopes: named, hasAll: areAll(named, knownScopes()), ledgers, isTrusted: false };
}

/**
 * Holds as long as a token of this server is not revoked; the isolate may not have read the revocation yet. Always holds for
 * tokens of other issuers, which are not revoked here.
 */
function isLive({ clientId, subject, token }: Principal): SQL {
  if (token === undefined) return sql`TRUE`;
  const { kind, value, revokedAt } = authRevocations;
  const isRevoked = or(
    and(eq(kind, "client"), eq(value, clientId), gte(revokedAt, token.issuedAt)),
    and(eq(kind, "subject"), eq(value, subject), gte(revokedAt, token.issuedAt)),
    and(eq(kind, "token"), eq(value, token.id ?? "")),
  );
  const isUnrevoked = sql`NOT EXISTS (SELECT 1 FROM ${authRevocations} WHERE ${isRevoked})`;
  if (token.grantId === undefined) return isUnrevoked;
  return sql`${isUnrevoked} AND EXISTS (SELECT 1 FROM ${authGrants} WHERE ${authGrants.id} = ${token.grantId})`;
}

async function isTrue({ env }: ServiceContext, condition: SQL): Promise<boolean> {
  const [row] = await databaseOf(env).all<{ holds: number }>(sql`SELECT (${condition}) AS holds`);
  return row?.holds === 1;
}
