import type { FlowInstance } from "./instance.ts";
import { getInstance } from "./store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** For how long a change is tried again, and the longest pause between two attempts, in milliseconds. */
const TRY_MS_MAX = 25_000;
const PAUSE_MS_MAX = 100;

/**
 * Changes an instance, starting from its current state. Where the instance has changed since it was read, `change` stores nothing and
 * returns false; then the instance is read again. An attempt that fails means that another change was stored, so that concurrent changes
 * succeed one after the other. Throws `NOT_FOUND`, and `OVERLOADED` where no attempt succeeds within 25 seconds.
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

/** Waits between two attempts. The caller chooses a random time, so that changes that have collided do not collide again. */
const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
