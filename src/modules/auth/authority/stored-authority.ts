import { type Authority, canonical, scopesOfAuthority } from "#modules/auth/core/authority.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** The text of an authority for a column: canonical JSON. */
export const toAuthorityColumn = (authority: Authority): string =>
  stringifyJson(canonical(authority));

/** Parses the text of a column. An authority with all scopes gets those of this release. */
export function fromAuthorityColumn(text: string): Authority {
  const stored = parseJson(text) as Authority;
  return { ...stored, scopes: namedScopes(stored.scopes, stored.hasAll) };
}

/** The scopes of a client or a person by name: the given ones, and with `hasAll` all of this release. */
export const namedScopes = (given: readonly string[], hasAll: boolean): readonly string[] =>
  scopesOfAuthority({ scopes: given, hasAll }, hasAll ? knownScopes() : []);
