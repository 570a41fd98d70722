import { and, eq } from "drizzle-orm";
import { beginGeneration } from "./matching/catalogue.ts";
import { isListed, isTriggerVisible } from "./store.ts";
import { orchestrationTriggers } from "./tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/** Deletes a trigger. Occurrences from before are still fired, and stay readable. Throws `NOT_FOUND`. */
export async function deleteTrigger(context: ServiceContext, id: string): Promise<void> {
  const change = new AuditedChange(context, {
    action: "orchestration.trigger.delete",
    object: `triggers/${id}`,
  });
  const db = databaseOf(context.env);
  const deleted = await change.store(
    db
      .update(orchestrationTriggers)
      .set({ deletedAt: context.clock() })
      .where(and(eq(orchestrationTriggers.id, id), isListed, isTriggerVisible(context.principal)))
      .returning({ key: orchestrationTriggers.key }),
    beginGeneration(db),
  );
  if (deleted.length === 0) throw new AppError("NOT_FOUND", "Trigger not found");
}
