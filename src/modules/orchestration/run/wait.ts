import { untilEnd } from "./runner.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { getInstance } from "#modules/orchestration/instances/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";

/** Longest time that a request waits for the end of an instance: clients wait a minute for an answer. */
const WAIT_MS_MAX = 50_000;

/**
 * The instance at its end, or as it is after the longest time that a request waits. A request reads the instance before and after it waits,
 * and does nothing in between.
 */
export async function waitForEnd(context: ServiceContext, id: string): Promise<FlowInstance> {
  const instance = await getInstance(context, id);
  if (instance.terminatedAt !== undefined) return instance;
  try {
    await untilEnd(context, id, WAIT_MS_MAX);
  } catch (error) {
    // The runner may have been restarted. The client gets the instance as it is.
    logError("a request does not wait for the end of an instance any longer", error, {
      instance: id,
    });
  }
  return getInstance(context, id);
}
