import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";

/** What a run on the platform is given: its instance and its number. Everything else is read from D1. */
export interface RunParams {
  readonly id: string;
  readonly run: number;
}

type RunContext = Pick<ServiceContext, "env">;
type Run = Pick<FlowInstance, "id" | "run">;

/** The id of a run on the platform, where each run is an instance of its own. */
export const platformIdOf = ({ id, run }: Run): string => `${id}-${run}`;

/** Lets the platform execute an instance, unless it does so already. Never throws: after a failure, the sweep starts the run. */
export async function startRun(context: RunContext, run: Run): Promise<void> {
  try {
    await createRun(context, run);
  } catch (error) {
    // Another caller may have been faster. Where the run has ended meanwhile, the sweep begins another one.
    if (await isOnPlatform(context, run)) return;
    logError("an instance could not be given to the platform; the sweep gives it", error, {
      instance: run.id,
    });
  }
}

/** Creates a run on the platform. Throws where the platform refuses it, also where the run is there already. */
export async function createRun({ env }: RunContext, { id, run }: Run): Promise<void> {
  const params: RunParams = { id, run };
  await env.INSTANCES.create({ id: platformIdOf({ id, run }), params });
}

/** Finds a run; undefined where the platform does not have it. */
export async function findOnPlatform(
  { env }: RunContext,
  run: Run,
): Promise<WorkflowInstance | undefined> {
  try {
    return await env.INSTANCES.get(platformIdOf(run));
  } catch {
    // An error is the only way to learn that the platform does not have the run.
    return undefined;
  }
}

const isOnPlatform = async (context: RunContext, run: Run): Promise<boolean> =>
  (await findOnPlatform(context, run)) !== undefined;
