import type { FlowInstance } from "./instance.ts";
import { getInstance } from "./store.ts";
import type { ServiceContext } from "#platform/context.ts";

/** Longest time that a request waits for the end of an instance: clients wait a minute for an answer. */
const WAIT_MS_MAX = 50_000;
/** How long to wait between two looks: at first, and at most. */
const LOOK_FIRST_MS = 50;
const LOOK_MOST_MS = 1000;

/** The instance at its end, or as it is after the longest time that a request waits. */
export async function waitForEnd(context: ServiceContext, id: string): Promise<FlowInstance> {
  const untilMs = Date.now() + WAIT_MS_MAX;
  for (let lookMs = LOOK_FIRST_MS; ; lookMs = Math.min(lookMs * 1.5, LOOK_MOST_MS)) {
    const instance = await getInstance(context, id);
    if (instance.terminatedAt !== undefined || Date.now() + lookMs > untilMs) return instance;
    await new Promise((resolve) => {
      setTimeout(resolve, lookMs);
    });
  }
}
