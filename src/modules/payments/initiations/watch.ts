import { INITIATIONS_SWEEP } from "#modules/payments/common/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { watchChange } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/**
 * Makes sure that the sweep of initiations comes after a change is stored that gives an initiation something to do: money to move, or a
 * new state of a payment to hear of. It is called before, because a process may be killed right after.
 */
export const watchInitiations = ({ env, clock }: Pick<ServiceContext, "env" | "clock">) =>
  watchChange(env, INITIATIONS_SWEEP, toMillis(clock()));
