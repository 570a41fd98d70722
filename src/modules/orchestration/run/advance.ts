import { advanceActivity } from "./advance-activity.ts";
import { END, GO_ON, type Next, WAIT_MS_MAX } from "./next.ts";
import { stageAt } from "#modules/orchestration/core/config.ts";
import { resolveStage } from "#modules/orchestration/core/resolve.ts";
import type { DelayStage } from "#modules/orchestration/core/stages.ts";
import type { FlowInstance, StageStatus } from "#modules/orchestration/instances/instance.ts";
import type { InstanceHold } from "#modules/orchestration/instances/state.ts";
import { findProgress } from "#modules/orchestration/instances/store.ts";
import { InstanceTransition } from "#modules/orchestration/instances/transition.ts";
import { HELD_MS } from "#platform/arming/arming-watch.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import { present } from "#platform/assert.ts";
import type { ServiceContext } from "#platform/context.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { runCausedBy } from "#platform/tracing/cause.ts";

/** Most stages that one call takes an instance through. The next call goes on from there. */
const STAGES_PER_CALL_MAX = 20;

/**
 * Takes an instance further, by at most one activity. D1 says how far the instance has come, so that this function may be called twice, by
 * two callers at a time, and after a crash between any two lines:
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | the instance is stored | a row that is due | the sweep gives the instance to the platform |
 * | an activity is begun | the activity's row, and an instance that is due soon | the activity is repeated with the same key |
 * | the other module has executed it | the activity's row, and an instance that is due soon | the activity is repeated, and gets the first answer |
 * | the outcome is stored | the outcome, and the next stage if there is one | the next call goes on from there |
 *
 * While the deployment is disarmed, an instance waits where it is.
 */
export async function advance(
  context: ServiceContext,
  { id, run }: { readonly id: string; readonly run: number },
): Promise<Next> {
  for (let stages = 0; stages < STAGES_PER_CALL_MAX; stages++) {
    if (!(await armingOf(context.env).mayCall())) return { kind: "wait", waitMs: HELD_MS };
    const found = await findProgress(context, id);
    if (found === undefined || found.instance.terminatedAt !== undefined) return END;
    // Another run of the instance has taken over.
    if (found.instance.run !== run) return END;
    const status = present(found.status, "a running instance has come to its stage");
    const { instance } = found;
    const next = await runCausedBy(instance.cause, () => advanceStage(context, instance, status));
    if (next !== undefined) return next;
  }
  return GO_ON;
}

/** Takes the current stage of an instance further. Returns undefined where the stage has ended, or the instance has changed meanwhile. */
async function advanceStage(
  context: ServiceContext,
  instance: FlowInstance,
  status: StageStatus,
): Promise<Next | undefined> {
  const { number } = status;
  const config = present(stageAt(instance.workflow.config, number), "a stage that was begun");
  const stage = resolveStage(config, instance.variables);
  switch (stage.type) {
    case "noop":
      return endStage(context, instance, number);
    case "delay": {
      const untilMs = Math.ceil(endOfDelay(stage, status.startedAt));
      const waitMs = untilMs - toMillis(context.clock());
      if (waitMs <= 0) return endStage(context, instance, number);
      const until = fromMillis(untilMs);
      return wait(context, instance, { kind: "time", since: status.startedAt, until });
    }
    case "wait_event": {
      // The stage ends when `sendEvent` stores the event.
      const { event } = stage;
      return wait(context, instance, { kind: "event", since: status.startedAt, event });
    }
    case "send":
    case "update":
      return advanceActivity(context, instance, { number, stage });
  }
}

async function endStage(
  context: ServiceContext,
  instance: FlowInstance,
  number: number,
): Promise<Next | undefined> {
  const transition = new InstanceTransition(context, instance);
  transition.endStage(number);
  const isStored = await transition.store();
  return isStored && transition.hasEnded ? END : undefined;
}

/** When a delay is over, in milliseconds since the epoch. */
const endOfDelay = ({ durationMs = 0, until }: DelayStage, startedAt: Timestamp): number =>
  until === undefined ? toMillis(startedAt) + durationMs : toMillis(until);

/** Stores what the instance waits for, and until when, so that the sweep leaves the instance alone until then. */
async function wait(
  context: ServiceContext,
  instance: FlowInstance,
  hold: Exclude<InstanceHold, { readonly kind: "retry" }>,
): Promise<Next | undefined> {
  const transition = new InstanceTransition(context, instance);
  const waitMs =
    hold.kind === "event" ? undefined : toMillis(hold.until) - toMillis(transition.now);
  const bounded = waitMs === undefined ? undefined : Math.min(Math.max(waitMs, 0), WAIT_MS_MAX);
  transition.moveWithin(bounded);
  transition.holdBack(hold);
  if (!(await transition.store())) return undefined;
  return bounded === undefined ? { kind: "wait-for-event" } : { kind: "wait", waitMs: bounded };
}
