import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";

/** What an instance on the platform is given: whom it works for. Everything else is read from D1. */
export interface RunParams {
  readonly id: string;
  readonly run: number;
}

type RunContext = Pick<ServiceContext, "env">;
type Run = Pick<FlowInstance, "id" | "run">;

/** The id on the platform: each run is an instance of its own there. */
export const platformIdOf = ({ id, run }: Run): string => `${id}-${run}`;

/** Lets the platform execute an instance, which it may do already. Never throws: the sweep does it again. */
export async function startRun(context: RunContext, run: Run): Promise<void> {
  try {
    await createRun(context, run);
  } catch (error) {
    // Somebody else may have been faster. Where that run has ended meanwhile, the sweep begins another one.
    if (await isOnPlatform(context, run)) return;
    logError("an instance could not be given to the platform; the sweep does it", error, {
      instance: run.id,
    });
  }
}

/** The same, which throws where the platform refuses it, also where it has the run already. */
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
    // There is no other way to learn that the platform does not have it.
    return undefined;
  }
}

const isOnPlatform = async (context: RunContext, run: Run): Promise<boolean> =>
  (await findOnPlatform(context, run)) !== undefined;
