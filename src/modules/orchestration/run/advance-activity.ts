import { END, GO_ON, type Next } from "./next.ts";
import { executeActivity } from "#modules/orchestration/activities/execute.ts";
import {
  type ActivityOutcome,
  type ActivityRequest,
  StageError,
} from "#modules/orchestration/core/activities.ts";
import { type EndedActivity, movedBy, withMovedMoney } from "#modules/orchestration/core/moved.ts";
import { isFinal, type StageStep, stepAfter } from "#modules/orchestration/core/program.ts";
import type { SendStage, UpdateStage } from "#modules/orchestration/core/stages.ts";
import {
  type Activity,
  type ActivityPlace,
  activitiesOf,
  beginActivity,
  endActivity,
  outcomeOf,
  postponeActivity,
  undoAttempt,
} from "#modules/orchestration/instances/activities.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { InstanceTransition } from "#modules/orchestration/instances/transition.ts";
import { HELD_MS } from "#platform/arming/arming-watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** Wait after a failed attempt: one second at first, and twice as long after each further failure, up to `RETRY_MS_MAX`. */
const RETRY_MS_MAX = 100_000;
const RETRY_BACKOFF = doubling(1000, RETRY_MS_MAX);
/** Most failures of one activity that the timeline shows. A later failure is shown only if it differs from the one before. */
const SHOWN_FAILURES_MAX = 100;

interface StageAt {
  readonly number: number;
  readonly stage: SendStage | UpdateStage;
}

/**
 * Executes the next activity of a stage, or ends the stage. Returns undefined where the stage has ended, or the instance has changed
 * meanwhile.
 */
export async function advanceActivity(
  context: ServiceContext,
  instance: FlowInstance,
  at: StageAt,
): Promise<Next | undefined> {
  const activities = await activitiesOf(context, instance, at.number);
  const firstOpen = activities.findIndex(({ terminatedAt }) => terminatedAt === undefined);
  const done = firstOpen === -1 ? activities : activities.slice(0, firstOpen);
  const step = stepOrFailure(at.stage, done.map(outcomeOf));
  if (!("next" in step)) {
    const transition = new InstanceTransition(context, instance);
    finish(transition, at.number, { ending: step, ended: activities.flatMap(endedOf) });
    const isStored = await transition.store();
    return isStored && transition.hasEnded ? END : undefined;
  }
  const pending = activities[done.length];
  const waitMs =
    pending === undefined ? 0 : toMillis(pending.nextExecution) - toMillis(context.clock());
  // The time of an attempt that was cut off lies in the past. A time that lies further ahead than the longest wait was stored before the
  // clock stepped back, and the attempt is made now.
  if (waitMs > 0 && waitMs <= RETRY_MS_MAX) return { kind: "wait", waitMs };
  return attempt(context, instance, { ...at, activities, done, pending, request: step.next });
}

interface Attempt extends StageAt {
  /** All activities that the stage has begun. Activities behind the next one may have ended where a retry repeats a read. */
  readonly activities: readonly Activity[];
  /** The activities before the next one, all of which have ended. */
  readonly done: readonly Activity[];
  /** The next activity, if it was attempted before. */
  readonly pending: Activity | undefined;
  readonly request: ActivityRequest;
}

async function attempt(
  context: ServiceContext,
  instance: FlowInstance,
  { number, stage, activities, done, pending, request }: Attempt,
): Promise<Next | undefined> {
  const ordinal = done.length;
  const begun = new InstanceTransition(context, instance);
  // An instance stays stuck while its activity is attempted again.
  begun.holdBack(instance.hold);
  const { attempts } = beginActivity(context, begun, { number, ordinal, pending, request });
  if (!(await begun.store())) return undefined;
  const outcome = await executeActivity(context, instance, {
    request,
    key: `${instance.id}-${number}-${ordinal}`,
  });
  const ended = new InstanceTransition(context, { ...instance, changeId: begun.changeId });
  if (outcome === undefined) {
    holdActivity(context, ended, { number, ordinal, attempts: attempts - 1, hold: instance.hold });
    return (await ended.store()) ? { kind: "wait", waitMs: HELD_MS } : undefined;
  }
  if (!outcome.ok && !isFinal(request.name, outcome.kind)) {
    const waitMs = waitAfterFailures(RETRY_BACKOFF, attempts);
    const nextAttemptAt = fromMillis(toMillis(ended.now) + waitMs);
    const isShown = attempts <= SHOWN_FAILURES_MAX || outcome.message !== pending?.lastFailure;
    postponeActivity(context, ended, {
      number,
      ordinal,
      attempts,
      message: outcome.message,
      nextExecution: nextAttemptAt,
      isShown,
    });
    ended.moveWithin(waitMs);
    ended.holdBack({
      kind: "retry",
      since: pending?.startedAt ?? begun.now,
      activity: request.name,
      attempts,
      lastFailure: outcome.message,
      nextAttemptAt,
    });
    return (await ended.store()) ? { kind: "wait", waitMs } : undefined;
  }
  endActivity(context, ended, { number, ordinal, request, outcome });
  const step = stepOrFailure(stage, [...done.map(outcomeOf), outcome]);
  if (!("next" in step)) {
    const all = [...activities.flatMap(endedOf), { ...request, outcome }];
    finish(ended, number, { ending: step, ended: all });
  }
  const isStored = await ended.store();
  return isStored && ended.hasEnded ? END : GO_ON;
}

interface HeldActivity extends ActivityPlace {
  /** The attempts without the one that was not begun. */
  readonly attempts: number;
  /** Why the instance did not go on before. */
  readonly hold: FlowInstance["hold"];
}

/** Puts an activity off that was not begun, because the deployment is disarmed. An instance that was stuck stays so. */
function holdActivity(
  context: ServiceContext,
  transition: InstanceTransition,
  { hold, ...activity }: HeldActivity,
): void {
  const nextExecution = fromMillis(toMillis(transition.now) + HELD_MS);
  undoAttempt(context, transition, { ...activity, nextExecution });
  transition.moveWithin(HELD_MS);
  transition.holdBack(hold?.kind === "retry" ? { ...hold, nextAttemptAt: nextExecution } : hold);
}

type Ending = { readonly isDone: true } | { readonly failure: StageError };

function stepOrFailure(
  stage: SendStage | UpdateStage,
  outcomes: readonly ActivityOutcome[],
): StageStep | Ending {
  try {
    return stepAfter(stage, outcomes);
  } catch (failure) {
    if (failure instanceof StageError) return { failure };
    throw failure;
  }
}

const endedOf = (activity: Activity): EndedActivity[] =>
  activity.terminatedAt === undefined ? [] : [{ ...activity, outcome: outcomeOf(activity) }];

function finish(
  transition: InstanceTransition,
  number: number,
  { ending, ended }: { readonly ending: Ending; readonly ended: readonly EndedActivity[] },
): void {
  if (!("failure" in ending)) return transition.endStage(number);
  const { message, historyMessage } = ending.failure;
  transition.failStage(number, withMovedMoney(message, ended.flatMap(movedBy)), historyMessage);
}
