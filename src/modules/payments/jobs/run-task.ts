import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import { endTask, isTaskRefused, isUnderWay, taskChange } from "#modules/payments/tasks/store.ts";
import type { Task } from "#modules/payments/tasks/task.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";

/**
 * Does the work of a task. After an error that a repetition would bring again, the task ends with the reason, unless another run of
 * the job has ended the task meanwhile; any other error is thrown, so that the job is repeated.
 */
export async function runTask(
  context: ServiceContext,
  task: Task,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isFinalError(error)) throw error;
    await storeFailure(context, task, error.message);
  }
}

async function storeFailure(context: ServiceContext, task: Task, error: string): Promise<void> {
  const failed = endTask(task, { error }, context);
  const { statement, event } = taskChange(context, failed, isUnderWay(task));
  try {
    await Outbox.from(context).publish({ change: [statement], events: [event], isVital: true });
  } catch (cause) {
    if (!isTaskRefused(cause)) throw cause;
  }
}

/** Whether a repetition would fail with the same error. */
export function isFinalError(error: unknown): error is Error {
  if (error instanceof ConnectorError) return error.kind === "invalid";
  return error instanceof AppError && (error.kind === "NOT_FOUND" || error.kind === "VALIDATION");
}
