import { and, eq, inArray, isNotNull, sql } from "drizzle-orm";
import { assertMayActAs } from "./acting.ts";
import { type Activity, activitiesOf } from "./activities.ts";
import { CANCELED, type FlowInstance } from "./instance.ts";
import { getInstance } from "./store.ts";
import { orchestrationActivities, orchestrationInstances, orchestrationStages } from "./tables.ts";
import { InstanceTransition } from "./transition.ts";
import { READ_FOR_PAYOUT, READING } from "#modules/orchestration/core/activities.ts";
import { WorkflowConfigError } from "#modules/orchestration/core/config-error.ts";
import { stageAt } from "#modules/orchestration/core/config.ts";
import { resolveStage } from "#modules/orchestration/core/resolve.ts";
import { assertArmed } from "#platform/arming/held-work.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Lets an instance go on that has failed, from the stage that failed. Activities of the stage that have changed something are not repeated.
 * Activities that have only read after the last of these are repeated:
 *
 *     read ─ moved ─ read ─ failed                becomes   read ─ moved ─ (open)
 *     read ─ checked ─ moved ─ payout failed      becomes   (open) ─ (open) ─ moved ─ (open)
 *
 * In the second case, the money had left before the payout failed, and the activities that the payout depends on are repeated, too. Throws
 * `NOT_FOUND`; `VALIDATION` for an instance that has not failed, was aborted, or whose values do not fit, because values never change; and
 * `UNAUTHENTICATED` where the principal that has started the instance may do more than the caller. Throws `DISARMED` while the deployment is
 * disarmed. The caller executes an instance that was retried.
 */
export async function retryInstance(
  context: ServiceContext,
  id: string,
): Promise<{ readonly instance: FlowInstance; readonly isRetried: boolean }> {
  const failed = await getInstance(context, id);
  assertMayActAs(context.principal, failed.principal, "the instance");
  assertRetryable(failed);
  await assertArmed(context);
  const { stage } = failed;
  const activities = await activitiesOf(context, failed, stage);
  const round = failed.round + 1;
  const transition = new InstanceTransition(context, { ...failed, round });
  transition.set({ terminatedAt: null, error: null, run: failed.run + 1, round });
  transition.moment("instance-retried", {}, stage);
  const db = databaseOf(context.env);
  const { instanceKey, number } = orchestrationStages;
  transition.add(
    db
      .update(orchestrationStages)
      .set({ terminatedAt: null, error: null, historyError: null })
      .where(and(eq(instanceKey, transition.key), eq(number, stage))),
  );
  transition.add(
    db
      .delete(orchestrationActivities)
      .where(
        and(
          eq(orchestrationActivities.instanceKey, transition.key),
          eq(orchestrationActivities.stage, stage),
          sql`${orchestrationActivities.ordinal} >= ${doneOf(activities)}`,
        ),
      ),
  );
  const read = readForPayout(activities);
  if (read.length > 0) {
    transition.add(
      db
        .update(orchestrationActivities)
        .set({
          terminatedAt: null,
          output: null,
          error: null,
          errorKind: null,
          nextExecution: transition.now,
        })
        .where(
          and(
            eq(orchestrationActivities.instanceKey, transition.key),
            eq(orchestrationActivities.stage, stage),
            inArray(orchestrationActivities.ordinal, read),
          ),
        ),
    );
  }
  const change = new AuditedChange(context, {
    action: "orchestration.instance.retry",
    object: `instances/${id}`,
  });
  // Of two concurrent retries, one is stored.
  const isRetried = await transition.store(change, isNotNull(orchestrationInstances.terminatedAt));
  return { instance: await getInstance(context, id), isRetried };
}

function assertRetryable({ workflow, stage, variables, terminatedAt, error }: FlowInstance): void {
  if (terminatedAt === undefined || error === undefined) {
    throw new AppError("VALIDATION", "only an instance that has failed can be retried");
  }
  if (error === CANCELED) throw new AppError("VALIDATION", "the instance was aborted");
  const config = stageAt(workflow.config, stage);
  if (config === undefined) return;
  try {
    resolveStage(config, variables);
  } catch (problem) {
    if (!(problem instanceof WorkflowConfigError)) throw problem;
    throw new AppError("VALIDATION", `the stage fails in the same way again: ${problem.message}`, {
      cause: problem,
    });
  }
}

/** The number of activities before the first one that is repeated: all up to the last activity that has changed something. */
const doneOf = (activities: readonly Activity[]): number =>
  activities.findLastIndex(
    ({ name, terminatedAt, error }) =>
      terminatedAt !== undefined && error === undefined && !READING.has(name),
  ) + 1;

/** The ordinals of the activities that a payout depends on. A stage has only a handful of activities. */
const readForPayout = (activities: readonly Activity[]): number[] =>
  activities.some(({ name }) => name === "CheckTransfer")
    ? activities.filter(({ name }) => READ_FOR_PAYOUT.has(name)).map(({ ordinal }) => ordinal)
    : [];
