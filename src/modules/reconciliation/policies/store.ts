import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { type Policy, toPolicy } from "./policy.ts";
import { reconciliationPolicies } from "./tables.ts";
import { assertReaches, isReached, type Reach } from "#modules/reconciliation/balances/reach.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { whereLedgerAllowed } from "#platform/db/ledger-scope.ts";
import { AppError } from "#platform/errors.ts";

/** The reach of a policy: its ledger, and pools. */
export const reachOf = ({ ledger }: Pick<Policy, "ledger">): Reach => ({
  ledgers: [ledger],
  hasPools: true,
});

const { deletedAt, ledger } = reconciliationPolicies;

/** SQL condition for policies that are not deleted and whose ledger a principal is not kept from by its binding. */
export const isVisible = ({ ledgers }: Principal): SQL | undefined =>
  and(isNull(deletedAt), whereLedgerAllowed(ledger, ledgers));

/** SQL condition for policies that a list shows to a principal: those that the principal may read all of. */
export const isListed = (principal: Principal): SQL | undefined =>
  and(
    isNull(deletedAt),
    isReached(principal, { ledgers: sql`json_array(${ledger})`, hasPools: sql`1` }),
  );

/** A policy. Throws `NOT_FOUND`, also for a ledger that the principal is kept from, and `UNAUTHENTICATED` without the scopes. */
export async function getPolicy(context: ServiceContext, id: string): Promise<Policy> {
  const { env, principal } = context;
  const [row] = await databaseOf(env)
    .select()
    .from(reconciliationPolicies)
    .where(and(eq(reconciliationPolicies.id, id), isVisible(principal)));
  if (row === undefined) throw new AppError("NOT_FOUND", `there is no policy ${id}`);
  const policy = toPolicy(row);
  assertReaches(principal, reachOf(policy), "the policy");
  return policy;
}
