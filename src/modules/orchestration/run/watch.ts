import type { ServiceContext } from "#platform/context.ts";
import { watchClock } from "#platform/objects/deployment-clock.ts";
import { toMillis } from "#platform/time.ts";

/** Longest time that a statement may take to be stored: D1 gives up after 30 seconds. */
const STATEMENT_MS_MAX = 35_000;

/**
 * Makes sure that a sweep comes after an instance is stored that has something to do from then on. It is called before, because a
 * process may be killed right after; a change that has events does not need it, because these are swept for.
 */
export const watchInstances = ({ env, clock }: Pick<ServiceContext, "env" | "clock">) =>
  watchClock(env, toMillis(clock()) + STATEMENT_MS_MAX);
