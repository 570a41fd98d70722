import type { OwnedId } from "#modules/payments/core/ids.ts";
import { findTask } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";

/** How long a client of the first generation waits for an outcome, and between two looks at the task, in milliseconds. */
const WAIT_MS_MAX = 10_000;
const LOOK_MS = 200;

/** The task when it has ended; undefined where that takes longer than a client waits. */
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
