import { INSTANCES_SWEEP } from "#modules/orchestration/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/**
 * Makes sure that a sweep follows the storing of an instance that has something to do. It is called before the instance is stored, because
 * the process may be killed right afterwards.
 */
export const watchInstances = ({ env, clock }: Pick<ServiceContext, "env" | "clock">) =>
  watchChange(env, INSTANCES_SWEEP, toMillis(clock()));
