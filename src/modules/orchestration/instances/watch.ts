import { INSTANCES_SWEEP } from "#modules/orchestration/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/**
 * Makes sure that a sweep comes after an instance is stored that has something to do from then on. It is called before, because a
 * process may be killed right after.
 */
export const watchInstances = ({ env, clock }: Pick<ServiceContext, "env" | "clock">) =>
  watchChange(env, INSTANCES_SWEEP, toMillis(clock()));
