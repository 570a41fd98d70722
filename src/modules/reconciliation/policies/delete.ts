import { and, eq } from "drizzle-orm";
import { getPolicy, isVisible } from "./store.ts";
import { reconciliationPolicies } from "./tables.ts";
import { RETENTION_SWEEP } from "#modules/reconciliation/sweep-names.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/**
 * Deletes a policy with its reconciliations, which are shown no more at once. A policy that does not exist is no error. Throws
 * `UNAUTHENTICATED` for a principal that may not read what the policy reads.
 */
export async function deletePolicy(context: ServiceContext, id: string): Promise<void> {
  try {
    await getPolicy(context, id);
  } catch (error) {
    if (error instanceof AppError && error.kind === "NOT_FOUND") return;
    throw error;
  }
  const { env, principal, clock } = context;
  const now = clock();
  await watchChange(env, RETENTION_SWEEP, toMillis(now));
  const change = new AuditedChange(context, {
    action: "reconciliation.policy.delete",
    object: `policies/${id}`,
  });
  await change.store(
    databaseOf(env)
      .update(reconciliationPolicies)
      .set({ deletedAt: now })
      .where(and(eq(reconciliationPolicies.id, id), isVisible(principal))),
  );
}
