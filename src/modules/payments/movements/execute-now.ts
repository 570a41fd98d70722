import { executeInitiation } from "./execute.ts";
import { sweepInitiations } from "./sweep.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import { getInitiation } from "#modules/payments/initiations/store.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import { INITIATIONS_SWEEP } from "#modules/payments/sweep-names.ts";
import { findTask } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import type { Sweep } from "#platform/modules/module.ts";

/** Does what is due for an initiation, right after it was approved. Never throws: the sweep does what is left. */
export async function executeNow(context: ServiceContext, id: OwnedId): Promise<void> {
  try {
    const { key } = await getInitiation(context, id);
    await executeInitiation(context, openPlugin, key);
  } catch (error) {
    logError("a payment initiation could not be sent at once; the sweep sends it", error);
  }
}

export const initiationSweep: Sweep = {
  name: INITIATIONS_SWEEP,
  run: (context) => sweepInitiations(context, openPlugin),
};

/** How long a client of the first generation waits for an outcome, and between two looks at the task, in milliseconds. */
const WAIT_MS_MAX = 10_000;
const LOOK_MS = 200;

/** The task when it has ended; undefined where that takes longer than a client waits. */
export async function waitForTask(
  context: ServiceContext,
  { task: id, work }: { readonly task: OwnedId; readonly work: Promise<void> },
): Promise<Task | undefined> {
  const untilMs = Date.now() + WAIT_MS_MAX;
  await Promise.race([work, pause(WAIT_MS_MAX)]);
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
