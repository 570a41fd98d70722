import type { Principal } from "#platform/context.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** A principal as a column holds it, without the token of the request. */
export const toPrincipalColumn = ({ token: _token, scopes, ...principal }: Principal): string =>
  stringifyJson({ ...principal, scopes: [...scopes] });

/** The principal in a text of `toPrincipalColumn`. It has no token. */
export function fromPrincipalColumn(text: string): Principal {
  const stored = parseJson(text) as Omit<Principal, "scopes"> & { scopes: readonly string[] };
  return { ...stored, scopes: new Set(stored.scopes) };
}
