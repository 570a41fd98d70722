import type { OwnedId } from "#modules/payments/core/ids.ts";
import { findTask } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";

/** How long a client of the first API version waits for an outcome, and the interval of reads of the task, in milliseconds. */
const WAIT_MS_MAX = 10_000;
const LOOK_MS = 200;

/** The task after it has ended; undefined if it takes longer than `WAIT_MS_MAX`. */
export async function waitForTask(context: ServiceContext, id: OwnedId): Promise<Task | undefined> {
  const untilMs = Date.now() + WAIT_MS_MAX;
  for (;;) {
    const task = await findTask(context, id);
    if (task !== undefined && task.status !== "PROCESSING") return task;
    if (Date.now() + LOOK_MS > untilMs) return undefined;
    await pause(LOOK_MS);
  }
}

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
