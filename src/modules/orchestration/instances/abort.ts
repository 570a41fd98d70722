import { CANCELED } from "./instance.ts";
import { getInstance } from "./store.ts";
import { stopRun, wakeRun } from "#modules/orchestration/run/platform.ts";
import { InstanceTransition } from "#modules/orchestration/run/transition.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** How often an abortion is tried while the instance moves. */
const ATTEMPTS_MAX = 10;

/**
 * Ends an instance before its next activity. One that is under way may still happen. Does nothing if the instance has ended. Throws
 * `NOT_FOUND`, and `OVERLOADED` where the instance moves too fast.
 */
export async function abortInstance(context: ServiceContext, id: string): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const instance = await getInstance(context, id);
    if (instance.terminatedAt !== undefined) return;
    const transition = new InstanceTransition(context, instance);
    transition.failStage(instance.stage, CANCELED);
    const change = new AuditedChange(context, {
      action: "orchestration.instance.abort",
      object: `instances/${id}`,
    });
    if (!(await transition.store(change))) continue;
    // One that waits for an event ends by itself once it is woken; only one that sleeps has to be stopped.
    return instance.dueAt === undefined ? wakeRun(context, instance) : stopRun(context, instance);
  }
  throw new AppError("OVERLOADED", "the instance moves too fast to be aborted");
}
