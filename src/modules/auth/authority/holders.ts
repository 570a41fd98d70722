import type { Authority } from "#modules/auth/core/authority.ts";
import { areAll } from "#modules/auth/core/authority.ts";
import { ledgersOf } from "#modules/auth/core/client-ledgers.ts";
import type { Client, ClientFields } from "#modules/auth/core/client.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";

/** What a client may do now. */
export const authorityOfClient = (client: Client): Authority => ({
  scopes: client.scopes,
  hasAll: client.hasAllScopes,
  ledgers: ledgersOf(client.metadata),
  isTrusted: client.trusted,
});

/** What a client of these fields will be able to do. */
export const authorityOfFields = ({ scopes, metadata, trusted }: ClientFields): Authority => ({
  scopes,
  hasAll: areAll(scopes, knownScopes()),
  ledgers: ledgersOf(metadata),
  isTrusted: trusted,
});

/** What a person may do now. */
export const authorityOfPerson = ({ scopes, hasAllScopes }: EndUser): Authority => ({
  scopes,
  hasAll: hasAllScopes,
  ledgers: [],
  isTrusted: false,
});

/** What a person of these scopes will be able to do. */
export const authorityOfScopes = (scopes: readonly string[]): Authority => ({
  scopes,
  hasAll: areAll(scopes, knownScopes()),
  ledgers: [],
  isTrusted: false,
});
