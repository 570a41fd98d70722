import { RETENTION_SWEEP, RULES_SWEEP } from "#modules/reconciliation/sweep-names.ts";
import type { ServiceContext } from "#platform/context.ts";
import { armClock, watchChange } from "#platform/objects/deployment-clock.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

type Watcher = Pick<ServiceContext, "env" | "clock">;

/** Makes sure that the sweep of the rules sees a change that is stored right after. */
export const watchRules = ({ env, clock }: Watcher): Promise<void> =>
  watchChange(env, RULES_SWEEP, toMillis(clock()));

/** Makes sure that the sweep of the rules runs at the next time of a rule, if it has one. */
export async function armRules({ env }: Watcher, nextAt: Timestamp | null): Promise<void> {
  if (nextAt !== null) await armClock(env, RULES_SWEEP, toMillis(nextAt));
}

/** Makes sure that the sweep of the retention sees something that is deleted right after. */
export const watchRetention = ({ env, clock }: Watcher): Promise<void> =>
  watchChange(env, RETENTION_SWEEP, toMillis(clock()));
