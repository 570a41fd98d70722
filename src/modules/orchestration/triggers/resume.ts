import { and, eq, isNotNull } from "drizzle-orm";
import { getTrigger, isListed } from "./store.ts";
import { orchestrationTriggers } from "./tables.ts";
import { assertMayActAs } from "#modules/orchestration/instances/acting.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * Lets a stopped trigger fire again; any other trigger stays as it is. Events that it has missed stay missed. Throws `NOT_FOUND`, and
 * `UNAUTHENTICATED` where the principal that has created the trigger may do more than the caller.
 */
export async function resumeTrigger(context: ServiceContext, id: string): Promise<void> {
  const trigger = await getTrigger(context, id);
  assertMayActAs(context.principal, trigger.principal, "the trigger");
  if (trigger.stop === undefined) return;
  const change = new AuditedChange(context, {
    action: "orchestration.trigger.resume",
    object: `triggers/${id}`,
  });
  await change.store(
    databaseOf(context.env)
      .update(orchestrationTriggers)
      .set({ stoppedAt: null, stoppedBy: null, stoppedDepth: null })
      .where(
        and(eq(orchestrationTriggers.id, id), isListed, isNotNull(orchestrationTriggers.stoppedAt)),
      ),
  );
}
