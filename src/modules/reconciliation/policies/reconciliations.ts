import { and, eq, type SQL, sql } from "drizzle-orm";
import { type Reconciliation, toReconciliation } from "./policy.ts";
import { getPolicy, isListed } from "./store.ts";
import { reconciliationPolicies, reconciliations } from "./tables.ts";
import { ownerKey, uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import type { Principal, ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const RECONCILIATIONS: ListTable<Reconciliation> = {
  keys: {
    id: uuidKey(reconciliations.id),
    policyID: ownerKey(reconciliations.policyKey, {
      table: reconciliationPolicies,
      key: reconciliationPolicies.key,
      id: reconciliationPolicies.id,
    }),
    status: { type: "set", column: reconciliations.status },
    createdAt: { type: "date", column: reconciliations.createdAt },
    reconciledAtLedger: { type: "date", column: reconciliations.atLedger },
    reconciledAtPayments: { type: "date", column: reconciliations.atPayments },
  },
  sort: {
    created_at: {
      type: "date",
      column: reconciliations.createdAt,
      tie: reconciliations.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/**
 * SQL condition for reconciliations of policies that are not deleted and that a principal may read all of. Without the plus, the list would
 * be sorted anew for each page from the rows of all policies.
 */
const isOfListedPolicy = (principal: Principal): SQL => sql`+${reconciliations.policyKey} IN (
  SELECT ${reconciliationPolicies.key} FROM ${reconciliationPolicies} WHERE ${isListed(principal)})`;

/** A page of the reconciliations that the principal may read, the newest first. Throws `VALIDATION` for a bad filter. */
export const listReconciliations = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<Reconciliation>> =>
  listPage(query, {
    ...RECONCILIATIONS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(reconciliations)
        .where(and(isOfListedPolicy(principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toReconciliation);
    },
  });

/** A reconciliation. Throws as `getPolicy` does for its policy, and `NOT_FOUND`. */
export async function getReconciliation(
  context: ServiceContext,
  id: string,
): Promise<Reconciliation> {
  const missing = new AppError("NOT_FOUND", `there is no reconciliation ${id}`);
  const [row] = await databaseOf(context.env)
    .select()
    .from(reconciliations)
    .where(eq(reconciliations.id, id));
  if (row === undefined) throw missing;
  try {
    await getPolicy(context, row.policyId);
  } catch (error) {
    throw error instanceof AppError && error.kind === "NOT_FOUND" ? missing : error;
  }
  return toReconciliation(row);
}
