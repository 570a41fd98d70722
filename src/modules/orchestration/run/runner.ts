import { type RunParams, startRun } from "./platform.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { objectAt } from "#platform/objects/address.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";

type RunnerContext = Pick<ServiceContext, "env">;

/** The name of the only runner of a deployment; see `InstanceRunnerObject`. */
export const RUNNER_NAME = "runner";

export const runnerOf = ({ env }: RunnerContext) => objectAt(env, env.INSTANCE_RUNNER, RUNNER_NAME);

/** The call that wakes an instance. It may be repeated like a read, because a wake that comes twice does no harm. */
const TO_RUNNER: ObjectCall = {
  object: "runner of instances",
  isRepeatable: true,
  timeoutMs: 5000,
};

/**
 * Makes sure that an instance goes on at a time, in milliseconds since the epoch. Never throws: where the runner cannot be reached, the
 * platform executes the instance.
 */
export async function wakeRunner(
  context: RunnerContext,
  { id, run }: RunParams,
  atMs: number,
): Promise<void> {
  try {
    await reachObject(runnerOf(context).wake({ id, run }, atMs), TO_RUNNER);
  } catch (error) {
    logError(
      "the runner of instances cannot be reached; the platform executes the instance",
      error,
      {
        instance: id,
      },
    );
    await startRun(context, { id, run });
  }
}

/** Resolves at the end of an instance, and after some milliseconds at the latest. */
export const untilEnd = (context: RunnerContext, id: string, waitMs: number): Promise<void> =>
  reachObject(runnerOf(context).untilEnd(id, waitMs), {
    object: "runner of instances",
    isRepeatable: true,
    timeoutMs: waitMs + 5000,
  });
