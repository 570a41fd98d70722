import { END, GO_ON, type Next } from "./next.ts";
import { InstanceTransition } from "./transition.ts";
import { executeActivity } from "#modules/orchestration/activities/execute.ts";
import { type ActivityRequest, StageError } from "#modules/orchestration/core/activities.ts";
import { isFinal, type StageStep, stepAfter } from "#modules/orchestration/core/program.ts";
import type { SendStage, UpdateStage } from "#modules/orchestration/core/stages.ts";
import {
  type Activity,
  activitiesOf,
  beginActivity,
  endActivity,
  outcomeOf,
  postponeActivity,
} from "#modules/orchestration/instances/activities.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import type { ServiceContext } from "#platform/context.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long to wait after an attempt that has failed. */
const RETRY_MS_MAX = 100_000;
const RETRY_BACKOFF = doubling(1000, RETRY_MS_MAX);
/** The failures of one activity that the timeline shows, besides those that differ from the one before. */
const SHOWN_FAILURES_MAX = 100;

interface StageAt {
  readonly number: number;
  readonly stage: SendStage | UpdateStage;
}

/** Does the next activity of a stage, or ends the stage. Gives nothing where the stage has ended. */
export async function advanceActivity(
  context: ServiceContext,
  instance: FlowInstance,
  at: StageAt,
): Promise<Next | undefined> {
  const activities = await activitiesOf(context, instance, at.number);
  const done = activities.filter(({ terminatedAt }) => terminatedAt !== undefined);
  const step = stepOrFailure(at.stage, done);
  if (!("next" in step)) {
    const transition = new InstanceTransition(context, instance);
    finish(transition, at.number, step);
    const isStored = await transition.store();
    return isStored && transition.hasEnded ? END : undefined;
  }
  const pending = activities[done.length];
  const waitMs =
    pending === undefined ? 0 : toMillis(pending.nextExecution) - toMillis(context.clock());
  // An attempt that was cut off was to be made at a time that lies back. One that is further away than any was put off before the clock
  // stepped back, and is made now.
  if (waitMs > 0 && waitMs <= RETRY_MS_MAX) return { kind: "wait", waitMs };
  return attempt(context, instance, { ...at, activities: done, pending, request: step.next });
}

interface Attempt extends StageAt {
  /** Those that have ended. */
  readonly activities: readonly Activity[];
  /** The one to do, if it was tried before. */
  readonly pending: Activity | undefined;
  readonly request: ActivityRequest;
}

async function attempt(
  context: ServiceContext,
  instance: FlowInstance,
  { number, stage, activities, pending, request }: Attempt,
): Promise<Next | undefined> {
  const ordinal = activities.length;
  const begun = new InstanceTransition(context, instance);
  const { attempts } = beginActivity(context, begun, { number, ordinal, pending, request });
  if (!(await begun.store())) return undefined;
  const outcome = await executeActivity(context, instance, {
    request,
    key: `${instance.id}-${number}-${ordinal}`,
  });
  const ended = new InstanceTransition(context, { ...instance, changeId: begun.changeId });
  if (!outcome.ok && !isFinal(request.name, outcome.kind)) {
    const waitMs = waitAfterFailures(RETRY_BACKOFF, attempts);
    const isShown = attempts <= SHOWN_FAILURES_MAX || outcome.message !== pending?.lastFailure;
    postponeActivity(context, ended, {
      number,
      ordinal,
      attempts,
      message: outcome.message,
      nextExecution: fromMillis(toMillis(ended.now) + waitMs),
      isShown,
    });
    ended.moveWithin(waitMs);
    return (await ended.store()) ? { kind: "wait", waitMs } : undefined;
  }
  endActivity(context, ended, { number, ordinal, request, outcome });
  const step = stepOrFailure(stage, [...activities.map(outcomeOf), outcome]);
  if (!("next" in step)) finish(ended, number, step);
  const isStored = await ended.store();
  return isStored && ended.hasEnded ? END : GO_ON;
}

type Ending = { readonly isDone: true } | { readonly failure: StageError };

function stepOrFailure(
  stage: SendStage | UpdateStage,
  done: Parameters<typeof stepAfter>[1] | readonly Activity[],
): StageStep | Ending {
  const outcomes = done.map((item) => ("ok" in item ? item : outcomeOf(item)));
  try {
    return stepAfter(stage, outcomes);
  } catch (failure) {
    if (failure instanceof StageError) return { failure };
    throw failure;
  }
}

function finish(transition: InstanceTransition, number: number, ending: Ending): void {
  if ("failure" in ending) {
    const { message, historyMessage } = ending.failure;
    transition.failStage(number, message, historyMessage);
  } else {
    transition.endStage(number);
  }
}
