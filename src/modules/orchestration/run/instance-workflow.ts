import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { advance } from "./advance.ts";
import { type Next, WAIT_MS_MAX } from "./next.ts";
import { type RunParams, WAKE_EVENT } from "./platform.ts";
import { beginRun } from "./revive.ts";
import { systemContext } from "#platform/context.ts";

/** Most calls of one run: the platform limits the steps of an instance, and what it keeps of them. */
const CALLS_PER_RUN_MAX = 400;

/** A step is repeated where it throws, which it does only if D1 fails. After these attempts, the sweep begins another run. */
const STEP = {
  retries: { limit: 8, delay: 500, backoff: "exponential" },
  timeout: "5 minutes",
} as const;

/**
 * Executes an instance: each step takes it further, and what is between them is waiting. Nothing that matters is kept here, as D1 has
 * it; names of steps count the calls, so that they stay the same whatever becomes of the stages.
 */
export class InstanceWorkflow extends WorkflowEntrypoint<Env, RunParams> {
  override async run(
    { payload: { id, run } }: Readonly<WorkflowEvent<RunParams>>,
    step: WorkflowStep,
  ): Promise<void> {
    const context = () => systemContext(this.env, `instance:${id}`);
    for (let call = 0; call < CALLS_PER_RUN_MAX; call++) {
      const next = await step.do(`advance-${call}`, STEP, () => advance(context(), { id, run }));
      if (next.kind === "end") return;
      await waitFor(next, step, call);
    }
    await step.do("begin-next-run", STEP, () => beginRun(context(), { id, run }));
  }
}

async function waitFor(next: Next, step: WorkflowStep, call: number): Promise<void> {
  if (next.kind === "wait") return step.sleep(`wait-${call}`, next.waitMs);
  if (next.kind !== "wait-for-event") return undefined;
  try {
    await step.waitForEvent(`event-${call}`, { type: WAKE_EVENT, timeout: WAIT_MS_MAX });
  } catch {
    // Nothing has come for that long. The next call waits on.
  }
}
