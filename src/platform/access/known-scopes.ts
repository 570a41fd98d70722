let known: readonly string[] | undefined;

/** Records the scopes of all modules, for `knownScopes`. The code that wires the modules together calls it once. */
export function declareScopes(scopes: readonly string[]): void {
  known = scopes;
}

/** The scopes of all modules of this release. */
export function knownScopes(): readonly string[] {
  if (known === undefined) throw new Error("the modules have not declared their scopes");
  return known;
}
