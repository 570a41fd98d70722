import { type Authority, canonical, scopesOfAuthority } from "#modules/auth/core/authority.ts";
import { knownScopes } from "#platform/access/known-scopes.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** An authority as a column holds it. */
export const toAuthorityColumn = (authority: Authority): string =>
  stringifyJson(canonical(authority));

/** Reads what `toAuthorityColumn` has written. Where all scopes are had, they are those of this release. */
export function fromAuthorityColumn(text: string): Authority {
  const stored = parseJson(text) as Authority;
  return { ...stored, scopes: namedScopes(stored.scopes, stored.hasAll) };
}

/** The scopes of a client or a person by name: those that were given, or all of this release. */
export const namedScopes = (given: readonly string[], hasAll: boolean): readonly string[] =>
  scopesOfAuthority({ scopes: given, hasAll }, hasAll ? knownScopes() : []);
