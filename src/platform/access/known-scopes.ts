let known: readonly string[] | undefined;

/** Makes the scopes of all modules known to those who ask for "all of them". Who wires the modules together calls it once. */
export function declareScopes(scopes: readonly string[]): void {
  known = scopes;
}

/** The scopes of all modules of this release. */
export function knownScopes(): readonly string[] {
  if (known === undefined) throw new Error("the modules have not declared their scopes");
  return known;
}
