import { sourceOf } from "./store.ts";
import { reconciliationSources } from "./tables.ts";
import { isUnused, matchingsOf } from "./uses.ts";
import { RETENTION_SWEEP } from "#modules/reconciliation/sweep-names.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/**
 * Deletes a source with its statements, which are shown no more at once. Throws as `sourceOf` does, and `SOURCE_IN_USE` while a matching
 * uses the source.
 */
export async function deleteSource(context: ServiceContext, id: string): Promise<void> {
  await sourceOf(context, id);
  const { env, clock } = context;
  const now = clock();
  await watchChange(env, RETENTION_SWEEP, toMillis(now));
  const change = new AuditedChange(context, {
    action: "reconciliation.source.delete",
    object: `sources/${id}`,
  });
  const gone = await change.store(
    databaseOf(env)
      .update(reconciliationSources)
      .set({ deletedAt: now })
      .where(isUnused(id))
      .returning({ key: reconciliationSources.key }),
  );
  if (gone.length > 0) return;
  const [matching] = await matchingsOf(context, id);
  if (matching === undefined) return; // somebody else has just deleted it
  throw new AppError(
    "SOURCE_IN_USE",
    `the matching ${matching} uses the source ${id}; delete the matching first`,
  );
}
