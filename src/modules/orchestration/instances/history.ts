import { asc, eq } from "drizzle-orm";
import { type Activity, activitiesOf } from "./activities.ts";
import { CANCELED, type FlowInstance, type StageStatus } from "./instance.ts";
import { findStage, getInstance, stagesOf } from "./store.ts";
import { orchestrationMoments } from "./tables.ts";
import { INTERNAL_ACTIVITIES } from "#modules/orchestration/core/activities.ts";
import { WorkflowConfigError } from "#modules/orchestration/core/config-error.ts";
import { stageAt } from "#modules/orchestration/core/config.ts";
import { resolveStage } from "#modules/orchestration/core/resolve.ts";
import type { Stage } from "#modules/orchestration/core/stages.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

type Context = Pick<ServiceContext, "env" | "principal">;

/** A stage that an instance has executed, and its status. */
export interface ExecutedStage {
  readonly stage: Stage;
  readonly status: StageStatus;
}

/**
 * The stages that were executed, in order. A stage fails without being executed if its values do not fit, and is left out. Throws
 * `NOT_FOUND`.
 */
export async function instanceHistory(context: Context, id: string): Promise<ExecutedStage[]> {
  const instance = await getInstance(context, id);
  const statuses = await stagesOf(context, instance);
  return statuses.flatMap((status) => {
    const stage = stageOf(instance, status.number);
    return stage === undefined ? [] : [{ stage, status }];
  });
}

function stageOf({ workflow, variables }: FlowInstance, number: number): Stage | undefined {
  const config = stageAt(workflow.config, number);
  if (config === undefined) return undefined;
  try {
    return resolveStage(config, variables);
  } catch (error) {
    if (error instanceof WorkflowConfigError) return undefined;
    throw error;
  }
}

/** An activity, and the time at which an abortion of the instance ended it. */
export interface ShownActivity extends Activity {
  /** When the instance was aborted; absent for an activity that had ended by itself. */
  readonly cancelledAt?: Timestamp;
}

/** The activities of a stage, in order. Throws `NOT_FOUND` for a stage that was not executed. */
export async function stageHistory(
  context: Context,
  { id, number }: { readonly id: string; readonly number: number },
): Promise<ShownActivity[]> {
  const instance = await getInstance(context, id);
  const status = await findStage(context, instance, number);
  if (status === undefined || stageOf(instance, number) === undefined) {
    throw new AppError("NOT_FOUND", "Instance not found");
  }
  const all = await activitiesOf(context, instance, number);
  const activities = all.filter(({ name }) => !INTERNAL_ACTIVITIES.has(name));
  const { terminatedAt, error } = status;
  if (terminatedAt === undefined || error !== CANCELED) return activities;
  return activities.map((activity) =>
    activity.terminatedAt === undefined ? { ...activity, cancelledAt: terminatedAt } : activity,
  );
}

export interface Moment {
  readonly at: Timestamp;
  readonly kind: string;
  readonly stage?: number;
  readonly data: unknown;
}

/** Most moments in one answer. */
export const MOMENTS_MAX = 1000;

/** The moments of an instance in order, without the first `after` of them. Throws `NOT_FOUND`. */
export async function timeline(
  context: Context,
  { id, after }: { readonly id: string; readonly after: number },
): Promise<{ readonly moments: Moment[]; readonly hasMore: boolean }> {
  const { key } = await getInstance(context, id);
  const rows = await databaseOf(context.env)
    .select()
    .from(orchestrationMoments)
    .where(eq(orchestrationMoments.instanceKey, key))
    .orderBy(asc(orchestrationMoments.key))
    .limit(MOMENTS_MAX + 1)
    .offset(after);
  const moments = rows.slice(0, MOMENTS_MAX).map(({ at, kind, stage, data }) => ({
    at,
    kind,
    data: parseJson(data),
    ...(stage === null ? {} : { stage }),
  }));
  return { moments, hasMore: rows.length > MOMENTS_MAX };
}
