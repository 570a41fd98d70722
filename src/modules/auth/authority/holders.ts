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
export const authorityOfPerson = ({ scopes, hasAllScopes }: EndUser): Authority => ({
  scopes,
  hasAll: hasAllScopes,
  ledgers: [],
  isTrusted: false,
});

/** The authority of a person with these scopes. */
export const authorityOfScopes = (scopes: readonly string[]): Authority => ({
  scopes,
  hasAll: areAll(scopes, knownScopes()),
  ledgers: [],
  isTrusted: false,
});
