import { and, eq, type SQL, sql } from "drizzle-orm";
import { updatedTaskEvent } from "./event-types.ts";
import { paymentTasks } from "./tables.ts";
import type { Task } from "./task.ts";
import type { TaskStatus } from "#modules/payments/core/enums.ts";
import type { OwnedId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Tasks in D1. `openTask` and `endTask` only compute the next state of a task; the statement of `taskChange` stores it:
 *
 *     openTask ──> PROCESSING ── endTask ──> SUCCEEDED
 *                      ^            └──────> FAILED ─┐
 *                      └────────── openTask ─────────┘
 */

/** The task with an id. Throws `NOT_FOUND`. */
export async function getTask(context: Pick<ServiceContext, "env">, id: OwnedId): Promise<Task> {
  const task = await findTask(context, id);
  if (task === undefined) throw new AppError("NOT_FOUND", "cannot get task: not found");
  return task;
}

/** The task with an id. Tasks are deleted with their connector, apart from those without `connectorKey`. */
export async function findTask(
  { env }: Pick<ServiceContext, "env">,
  { connector, reference }: OwnedId,
): Promise<Task | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentTasks)
    .where(
      and(
        eq(paymentTasks.reference, reference),
        eq(paymentTasks.connectorReference, connector.reference),
        eq(paymentTasks.provider, connector.provider),
      ),
    );
  return row === undefined ? undefined : toTask(row);
}

const toTask = (row: typeof paymentTasks.$inferSelect): Task => ({
  id: {
    connector: { provider: row.provider, reference: row.connectorReference },
    reference: row.reference,
  },
  ...(row.connectorKey === null ? {} : { connectorKey: row.connectorKey }),
  status: row.status,
  createdAt: row.createdAt,
  updatedAt: row.updatedAt,
  ...(row.createdObjectId === null ? {} : { createdObjectId: row.createdObjectId }),
  ...(row.error === null ? {} : { error: row.error }),
});

/**
 * The task of a new attempt of an operation. `isNew` says whether the operation has to begin: a task that is under way or
 * has succeeded stays as it is, and a failed task begins again under its id, without its error.
 */
export function openTask(
  stored: Task | undefined,
  { id, connectorKey }: Pick<Task, "id" | "connectorKey">,
  { clock }: Pick<ServiceContext, "clock">,
): { readonly task: Task; readonly isNew: boolean } {
  if (stored !== undefined && stored.status !== "FAILED") return { task: stored, isNew: false };
  const now = clock();
  const task: Task = {
    id,
    ...(connectorKey === undefined ? {} : { connectorKey }),
    status: "PROCESSING",
    createdAt: stored?.createdAt ?? now,
    updatedAt: now,
  };
  return { task, isNew: true };
}

/** The task after its end, with the created object or the reason of the failure, whatever its status was. */
export const endTask = (
  { id, connectorKey, createdAt }: Task,
  outcome: { readonly createdObjectId: string } | { readonly error: string },
  { clock }: Pick<ServiceContext, "clock">,
): Task => ({
  id,
  ...(connectorKey === undefined ? {} : { connectorKey }),
  createdAt,
  updatedAt: clock(),
  status: "error" in outcome ? "FAILED" : "SUCCEEDED",
  ...outcome,
});

/**
 * The statement that inserts or updates a task, and its event, for the batch of the task's own changes. The batch fails if the
 * condition does not hold; `isTaskRefused` recognises the error. A stored task that has succeeded stays as it is, but the event is
 * sent: a caller that may come late needs a condition, such as `isUnderWay`.
 */
export function taskChange(
  { env }: Pick<ServiceContext, "env">,
  task: Task,
  condition: SQL = sql`1`,
) {
  const { connector, reference } = task.id;
  const changing = {
    status: sql<TaskStatus>`(SELECT ${task.status} WHERE ${condition})`,
    updatedAt: task.updatedAt,
    createdObjectId: task.createdObjectId ?? null,
    error: task.error ?? null,
  };
  const statement = databaseOf(env)
    .insert(paymentTasks)
    .values({
      reference,
      provider: connector.provider,
      connectorReference: connector.reference,
      connectorKey: task.connectorKey ?? null,
      createdAt: task.createdAt,
      ...changing,
    })
    .onConflictDoUpdate({
      target: [paymentTasks.reference, paymentTasks.connectorReference],
      set: changing,
      setWhere: sql`${paymentTasks.status} <> 'SUCCEEDED'`,
    });
  return { statement, event: updatedTaskEvent(task) };
}

/** The condition that a task is stored and has not ended. */
export const isUnderWay = ({ id: { connector, reference } }: Pick<Task, "id">): SQL => sql`EXISTS (
  SELECT 1 FROM ${paymentTasks} AS t
  WHERE t.reference = ${reference} AND t.connector_reference = ${connector.reference}
    AND t.status = 'PROCESSING')`;

/** Whether a batch failed because the condition of `taskChange` did not hold. */
export function isTaskRefused(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes("NOT NULL constraint failed: payment_tasks.status")) return true;
  }
  return false;
}
