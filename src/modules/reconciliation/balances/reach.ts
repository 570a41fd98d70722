import { type SQL, sql, type SQLWrapper } from "drizzle-orm";
import { allowsLedger, outOfReach } from "#platform/access/ledger-patterns.ts";
import type { Principal } from "#platform/context.ts";
import { whereBindingCovered } from "#platform/db/ledger-scope.ts";
import { allows, type Scope } from "#platform/http/authenticator.ts";

/** The parts of the books that a policy or rule reads. */
export interface Reach {
  /** The names of the ledgers, without repetitions. */
  readonly ledgers: readonly string[];
  readonly hasPools: boolean;
}

/** The scopes that reading needs, besides the scope of reconciliation itself. */
const scopesOf = ({ ledgers, hasPools }: Reach): Scope[] => [
  ...(ledgers.length === 0 ? [] : ["ledger:read" as const]),
  ...(hasPools ? ["payments:read" as const] : []),
];

/**
 * The part of a reach that a principal may not read, in words: a scope or a ledger; undefined for a principal that may read all of it.
 */
export function lackingOf({ scopes, ledgers }: Principal, reach: Reach): string | undefined {
  const scope = scopesOf(reach).find((needed) => !allows(scopes, needed));
  if (scope !== undefined) return `the scope ${scope}`;
  const ledger = reach.ledgers.find((name) => !allowsLedger(ledgers, name));
  return ledger === undefined ? undefined : `access to the ledger '${ledger}'`;
}

/** Throws `UNAUTHENTICATED` for a principal that may not read all of a reach. `what` names the thing that reads: `the rule`. */
export function assertReaches(principal: Principal, reach: Reach, what: string): void {
  const lacking = lackingOf(principal, reach);
  if (lacking !== undefined) {
    throw outOfReach(`${what} reads what you may not read. You lack: ${lacking}`);
  }
}

/** Columns of a table whose rows have a reach each. */
export interface ReachColumns {
  /** The names of the ledgers, as a JSON list. */
  readonly ledgers: SQLWrapper;
  /** 1 for a row that reads pools. */
  readonly hasPools: SQLWrapper;
}

/** SQL condition for rows that a principal may read all of; undefined, for all rows, where nothing is out of its reach. */
export function isReached({ scopes, ledgers }: Principal, columns: ReachColumns): SQL | undefined {
  const conditions = [
    allows(scopes, "ledger:read") ? undefined : sql`json_array_length(${columns.ledgers}) = 0`,
    allows(scopes, "payments:read") ? undefined : sql`${columns.hasPools} = 0`,
    ledgers.length === 0
      ? undefined
      : sql`(json_array_length(${columns.ledgers}) = 0 OR ${whereBindingCovered(columns.ledgers, ledgers)})`,
  ].filter((condition) => condition !== undefined);
  return conditions.length === 0 ? undefined : sql.join(conditions, sql` AND `);
}
