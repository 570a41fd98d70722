import type { FlowInstance } from "./instance.ts";
import { getInstance } from "./store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** How long a change is tried again, in milliseconds, and the longest pause between two tries. */
const TRY_MS_MAX = 25_000;
const PAUSE_MS_MAX = 100;

/**
 * Changes an instance as it is now. `change` stores nothing and returns false where the instance has changed since it was read; then the
 * instance is read again: each such try has let somebody else's change through, so that many changes at once all come through one after
 * the other. Throws `NOT_FOUND`, and `OVERLOADED` where the database does not come to it within 25 seconds.
 */
export async function changeInstance(
  context: ServiceContext,
  id: string,
  change: (instance: FlowInstance) => Promise<boolean>,
): Promise<void> {
  const untilMs = Date.now() + TRY_MS_MAX;
  for (let tries = 1; ; tries++) {
    if (await change(await getInstance(context, id))) return;
    if (Date.now() > untilMs) break;
    await pause(Math.random() * Math.min(5 * tries, PAUSE_MS_MAX));
  }
  throw new AppError("OVERLOADED", "the instance could not be changed in time; try again");
}

/** Those that were refused together do not come back together. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
