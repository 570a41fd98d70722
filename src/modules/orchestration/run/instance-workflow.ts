import { WorkflowEntrypoint, type WorkflowEvent, type WorkflowStep } from "cloudflare:workers";
import { advance } from "./advance.ts";
import type { RunParams } from "./platform.ts";
import { beginRun } from "./revive.ts";
import { wakeRunner } from "./runner.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { stateGuardOf } from "#platform/upgrade/state-guard.ts";

/** Most calls of `advance` in one run, because the platform limits the steps of an instance and what it keeps of them. */
const CALLS_PER_RUN_MAX = 400;

/**
 * Repetitions of a step that throws. A step throws only if D1 fails, or if the tables are not those of this code. After the last
 * repetition, the sweep begins another run.
 */
const STEP = {
  retries: { limit: 8, delay: 500, backoff: "exponential" },
  timeout: "5 minutes",
} as const;

/**
 * Executes an instance that takes long. Each step takes the instance further, until it waits; then the runner goes on with it, at its time
 * or when its event is sent. Nothing that matters is kept here, because D1 has it. Names of steps count the calls, so that the names stay
 * the same whatever becomes of the stages.
 */
export class InstanceWorkflow extends WorkflowEntrypoint<Env, RunParams> {
  override async run(
    { payload: { id, run } }: Readonly<WorkflowEvent<RunParams>>,
    step: WorkflowStep,
  ): Promise<void> {
    const context = async (): Promise<ServiceContext> => {
      await stateGuardOf(this.env).assertFits();
      return systemContext(this.env, `instance:${id}`);
    };
    for (let call = 0; call < CALLS_PER_RUN_MAX; call++) {
      const next = await step.do(`advance-${call}`, STEP, async () =>
        advance(await context(), { id, run }),
      );
      if (next.kind === "go-on") continue;
      if (next.kind !== "wait") return;
      const atMs = Date.now() + next.waitMs;
      await step.do("hand-over", STEP, () => wakeRunner({ env: this.env }, { id, run }, atMs));
      return;
    }
    await step.do("begin-next-run", STEP, async () => beginRun(await context(), { id, run }));
  }
}
