import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";

/** What an instance on the platform is given: whom it works for. Everything else is read from D1. */
export interface RunParams {
  readonly id: string;
  readonly run: number;
}

/** What wakes an instance on the platform that waits for an event. */
export const WAKE_EVENT = "wake";

type RunContext = Pick<ServiceContext, "env">;
type Run = Pick<FlowInstance, "id" | "run">;

/** The id on the platform: each run is an instance of its own there. */
export const platformIdOf = ({ id, run }: Run): string => `${id}-${run}`;

/** Lets the platform execute an instance, which it may do already. Never throws: the sweep does it again. */
export async function startRun(context: RunContext, run: Run): Promise<void> {
  try {
    await createRun(context, run);
  } catch (error) {
    // Whoever wakes an instance may have been faster.
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

/**
 * Tells a run that waits that something has come. One that the platform does not have yet gets to it now, and reads what has come.
 * Never throws: the sweep wakes it.
 */
export async function wakeRun(context: RunContext, run: Run): Promise<void> {
  const instance = await findOnPlatform(context, run);
  if (instance === undefined) return startRun(context, run);
  try {
    await instance.sendEvent({ type: WAKE_EVENT, payload: {} });
  } catch (error) {
    logError("an instance could not be woken; the sweep does it", error, { instance: run.id });
  }
}

/** Ends a run whose instance has ended. Never throws: what it still does changes nothing. */
export async function stopRun({ env }: RunContext, run: Run): Promise<void> {
  try {
    const instance = await env.INSTANCES.get(platformIdOf(run));
    await instance.terminate();
  } catch {
    // It has ended already, or was lost. Either way, nothing of it goes on.
  }
}
