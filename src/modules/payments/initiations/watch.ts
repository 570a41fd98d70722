import { INITIATIONS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/**
 * Arms the sweep of initiations for a change that needs it: a new movement, or news of a payment. Called before the change
 * is stored, because the process may end right after it.
 */
export const watchInitiations = ({ env, clock }: Pick<ServiceContext, "env" | "clock">) =>
  watchChange(env, INITIATIONS_SWEEP, toMillis(clock()));
