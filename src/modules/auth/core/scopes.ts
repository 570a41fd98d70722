/** The scope that asks for an ID token. */
export const OPENID_SCOPE = "openid";

/** Scopes of a person's profile, which access tokens do not carry. */
const PROFILE_SCOPES = new Set(["profile", "email", "address", "phone"]);

/**
 * The requested scopes that the client may have, in the order of the request, separated by spaces. Other scopes are left out
 * without an error, and a request without scopes gets none.
 */
export function grantScopes(requested: string, allowed: readonly string[]): string {
  const grantable = new Set(allowed.filter((scope) => !PROFILE_SCOPES.has(scope)));
  return requested
    .split(" ")
    .filter((scope) => grantable.has(scope))
    .join(" ");
}

/** Scopes of OpenID Connect, which every client may ask for in a person's name. */
export const STANDARD_SCOPES: readonly string[] = [
  OPENID_SCOPE,
  "profile",
  "email",
  "phone",
  "address",
  "offline_access",
];

export const isStandardScope = (scope: string): boolean => STANDARD_SCOPES.includes(scope);

/** Whether a person with these scopes may have a scope. A scope `:write` includes `:read`. */
export const mayHave = (ofPerson: readonly string[], scope: string): boolean =>
  ofPerson.includes(scope) ||
  (scope.endsWith(READ) && ofPerson.includes(`${scope.slice(0, -READ.length)}:write`));

const READ = ":read";

/** The scopes that an access token carries. */
export const withoutProfile = (scopes: readonly string[]): string[] =>
  scopes.filter((scope) => !PROFILE_SCOPES.has(scope));

/** Parses the scopes of a token, which are separated by spaces. */
export const splitScopes = (scope: string): ReadonlySet<string> =>
  new Set(scope.split(" ").filter((item) => item !== ""));
