/** The modules whose data a token may read or change, in the order of the sidebar. */
export const MODULES = [
  "ledger",
  "payments",
  "wallets",
  "reconciliation",
  "orchestration",
  "webhooks",
  "search",
  "auth",
] as const;
export type ModuleName = (typeof MODULES)[number];

/** What a token may do in a module. Who may write may read. */
export const LEVELS = ["none", "read", "write"] as const;
export type Level = (typeof LEVELS)[number];

export const OPERATE = "florin:operate";

/** Scopes by what they allow. */
export interface Rights {
  readonly levels: Readonly<Record<ModuleName, Level>>;
  /** Whether the token may look after the deployment itself. */
  readonly operates: boolean;
  /** Scopes of other servers and of other releases, as they are. */
  readonly others: readonly string[];
}

export function rightsOf(scopes: readonly string[]): Rights {
  const levelOf = (name: ModuleName): Level => {
    if (scopes.includes(`${name}:write`)) return "write";
    return scopes.includes(`${name}:read`) ? "read" : "none";
  };
  return {
    levels: Object.fromEntries(MODULES.map((name) => [name, levelOf(name)])) as Rights["levels"], // It has all names.
    operates: scopes.includes(OPERATE),
    others: scopes.filter((scope) => scope !== OPERATE && !KNOWN.has(scope)),
  };
}

/**
 * The scopes of rights. A module that is written has both scopes, as the server's own clients have; a module whose level does not change
 * keeps those that it had before.
 */
export function scopesOf(
  { levels, operates, others }: Rights,
  before: readonly string[] = [],
): string[] {
  const old = rightsOf(before).levels;
  const own = MODULES.flatMap((name) => {
    if (levels[name] === old[name]) {
      return before.filter((scope) => scope === `${name}:read` || scope === `${name}:write`);
    }
    if (levels[name] === "write") return [`${name}:read`, `${name}:write`];
    return levels[name] === "read" ? [`${name}:read`] : [];
  });
  return [...own, ...(operates ? [OPERATE] : []), ...others];
}

/** Whether rights are all that a person may have here. */
export const isEverything = ({ levels, operates }: Rights): boolean =>
  operates && MODULES.every((name) => levels[name] === "write");

const KNOWN: ReadonlySet<string> = new Set(
  MODULES.flatMap((name) => [`${name}:read`, `${name}:write`]),
);
