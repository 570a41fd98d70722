import { changeInstance } from "./change.ts";
import { CANCELED } from "./instance.ts";
import { InstanceTransition } from "./transition.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * Aborts an instance before its next activity; an activity that is under way may still take effect. Does nothing if the instance has ended.
 * Throws `NOT_FOUND`, and `OVERLOADED` as `changeInstance` does.
 */
export function abortInstance(context: ServiceContext, id: string): Promise<void> {
  return changeInstance(context, id, async (instance) => {
    if (instance.terminatedAt !== undefined) return true;
    const transition = new InstanceTransition(context, instance);
    transition.failStage(instance.stage, CANCELED);
    const change = new AuditedChange(context, {
      action: "orchestration.instance.abort",
      object: `instances/${id}`,
    });
    // A run that executes the instance finds at its next change that the instance has ended.
    return transition.store(change);
  });
}
