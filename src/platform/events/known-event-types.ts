let known: ReadonlySet<string> | undefined;

/** Records the full names of the event types of all modules, for `knownEventTypes`. The code that wires the modules together calls it once. */
export function declareEventTypes(names: readonly string[]): void {
  known = new Set(names);
}

/** The full names of the event types of this release, such as `ledger.committed_transactions`. */
export function knownEventTypes(): ReadonlySet<string> {
  if (known === undefined) throw new Error("the modules have not declared their event types");
  return known;
}
