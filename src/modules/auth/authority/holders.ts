import type { Authority } from "#modules/auth/core/authority.ts";
import { areAll } from "#modules/auth/core/authority.ts";
import { ledgersOf } from "#modules/auth/core/client-ledgers.ts";
import type { Client, ClientFields } from "#modules/auth/core/client.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";

/** The present authority of a client. */
export const authorityOfClient = (client: Client): Authority => ({
  scopes: client.scopes,
  hasAll: client.hasAllScopes,
  ledgers: ledgersOf(client.metadata),
  isTrusted: client.trusted,
});

/** The authority of a client with these fields. */
export const authorityOfFields = ({ scopes, metadata, trusted }: ClientFields): Authority => ({
  scopes,
  hasAll: areAll(scopes, knownScopes()),
  ledgers: ledgersOf(metadata),
  isTrusted: trusted,
});

/** The present authority of a person. */
export const authorityOfPerson = ({ scopes, hasAllScopes, ledgers }: EndUser): Authority => ({
  scopes,
  hasAll: hasAllScopes,
  ledgers,
  isTrusted: false,
});

/** What a person may do: scopes, and patterns of the only ledgers, of which an empty list stands for all. */
export type PersonPermissions = Pick<EndUser, "scopes" | "ledgers">;

/** The authority of a person with these permissions. */
export const authorityOfPermissions = ({ scopes, ledgers }: PersonPermissions): Authority => ({
  scopes,
  hasAll: areAll(scopes, knownScopes()),
  ledgers,
  isTrusted: false,
});
