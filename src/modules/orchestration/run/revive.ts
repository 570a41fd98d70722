import { and, asc, eq, isNotNull, isNull, lte } from "drizzle-orm";
import { createRun, findOnPlatform, type RunParams, startRun } from "./platform.ts";
import { rescheduleAfterClockChange } from "./reschedule-after-clock-change.ts";
import { orchestrationInstances } from "#modules/orchestration/instances/tables.ts";
import { GRACE_MS } from "#modules/orchestration/instances/transition.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { logError } from "#platform/log.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** Most instances that one sweep looks after. The next sweep follows at once if there are more. */
const INSTANCES_PER_SWEEP_MAX = 100;
const LANES = { total: 8, perKey: 1, timeoutMs: 10_000 };
/** How long the sweep leaves an instance alone that it has looked after, in milliseconds. */
const PATIENCE_MS = 2 * GRACE_MS;

interface OverdueRun extends RunParams {
  readonly dueAt: Timestamp | null;
}

/**
 * Revives the instances that should have moved by now: the platform has lost their run, or the run was killed and does not go on by itself.
 * Returns when to do so again, in milliseconds since the epoch.
 */
export async function sweepInstances(context: ServiceContext): Promise<number | undefined> {
  await rescheduleAfterClockChange(context);
  const db = databaseOf(context.env);
  const { id, run, dueAt, terminatedAt } = orchestrationInstances;
  const overdue = await db
    .select({ id, run, dueAt })
    .from(orchestrationInstances)
    .where(lte(dueAt, context.clock()))
    .orderBy(asc(dueAt))
    .limit(INSTANCES_PER_SWEEP_MAX);
  await settleAll(overdue, {
    limits: LANES,
    keyOf: (instance) => instance.id,
    run: (instance) => reviveLogged(context, instance),
  });
  const [next] = await db
    .select({ dueAt })
    .from(orchestrationInstances)
    .where(and(isNotNull(dueAt), isNull(terminatedAt)))
    .orderBy(asc(dueAt))
    .limit(1);
  return next === undefined || next.dueAt === null ? undefined : toMillis(next.dueAt);
}

async function reviveLogged(context: ServiceContext, overdue: OverdueRun): Promise<void> {
  if (!(await postpone(context, overdue))) return;
  try {
    await revive(context, overdue);
  } catch (error) {
    logError("an instance could not be revived; the next sweep tries again", error, {
      instance: overdue.id,
    });
  }
}

/** Claims an overdue instance by putting off when it is due. Returns false where it is not overdue any more. */
async function postpone(
  { env, clock }: ServiceContext,
  { id, dueAt }: OverdueRun,
): Promise<boolean> {
  if (dueAt === null) return false;
  const claimed = await databaseOf(env)
    .update(orchestrationInstances)
    .set({ dueAt: fromMillis(toMillis(clock()) + PATIENCE_MS) })
    .where(and(eq(orchestrationInstances.id, id), eq(orchestrationInstances.dueAt, dueAt)))
    .returning({ key: orchestrationInstances.key });
  return claimed.length > 0;
}

/** Makes the platform go on with a run, in whatever state the run is there. */
async function revive(context: ServiceContext, run: RunParams): Promise<void> {
  const instance = await findOnPlatform(context, run);
  if (instance === undefined) return createRun(context, run);
  const { status } = await instance.status();
  switch (status) {
    case "errored":
    case "terminated":
    case "complete":
      return beginRun(context, run);
    case "queued":
      return undefined;
    case "paused":
      return instance.resume();
    default:
      // The platform shows an instance that was killed as running until it is paused. Pausing an instance that does run does no harm.
      await instance.pause();
      return instance.resume();
  }
}

/** Begins the run after one that is over. Does nothing if the next run was begun before, or the instance has ended. */
export async function beginRun(
  context: Pick<ServiceContext, "env" | "clock">,
  { id, run }: RunParams,
): Promise<void> {
  const next = { id, run: run + 1 };
  const [row] = await databaseOf(context.env)
    .update(orchestrationInstances)
    .set({ run: next.run, dueAt: fromMillis(toMillis(context.clock()) + GRACE_MS) })
    .where(
      and(
        eq(orchestrationInstances.id, id),
        eq(orchestrationInstances.run, run),
        isNull(orchestrationInstances.terminatedAt),
      ),
    )
    .returning({ key: orchestrationInstances.key });
  if (row !== undefined) await startRun(context, next);
}
