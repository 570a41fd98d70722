type ReadScope = `${string}:read`;

/** Types of events, by the names that webhooks subscribe to, with the further scopes that they need. */
export type EventScopes = ReadonlyMap<string, readonly ReadScope[]>;

let declared: EventScopes | undefined;

/** Records the further scopes of the types of all modules, for `scopesOfEvent`. The code that wires the modules together calls it once. */
export function declareEventScopes(scopes: EventScopes): void {
  declared = scopes;
}

/**
 * The scopes that whoever reads events of a type needs: the one that reads the module, and those of other modules whose data the payload
 * holds. `name` is that of webhooks, in any case: `ledger.committed_transactions` needs `ledger:read`.
 */
export function scopesOfEvent(name: string): readonly ReadScope[] {
  if (declared === undefined) throw new Error("the modules have not declared their events");
  const known = name.toLowerCase();
  const [app = ""] = known.split(".");
  return [`${app}:read`, ...(declared.get(known) ?? [])];
}
