import { and, eq, sql } from "drizzle-orm";
import type { FetchTask } from "#modules/payments/connectors/contract.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { STACK } from "#modules/payments/core/task-references.ts";
import { getConnector } from "#modules/payments/installs/store.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentInstances, paymentSchedules } from "#modules/payments/schedules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { AppError } from "#platform/errors.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

export type Instance = typeof paymentInstances.$inferSelect;
type Reads = Pick<ServiceContext, "env">;

const prefixOf = (id: ConnectorId): string => `${STACK}-${encodeConnectorId(id)}-`;

/** The id of a schedule as clients know it. */
export const scheduleIdOf = (connector: ConnectorId, { task }: Pick<Schedule, "task">): string =>
  `${prefixOf(connector)}${task}`;

/** The task in the id of a schedule of this connector; empty for any other text. */
export const taskInScheduleId = (connector: ConnectorId, id: string): string =>
  id.startsWith(prefixOf(connector)) ? id.slice(prefixOf(connector).length) : "";

const SCHEDULES: ListTable<Schedule> = {
  keys: {
    // The filter gets the task in the schedule's id.
    id: { type: "text", column: paymentSchedules.task, operators: ["$match", "$in"] },
    // The filter gets 1 for the connector in the path, whose schedules are listed.
    connector_id: { type: "integer", column: sql`1`, operators: ["$match", "$in"] },
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentSchedules.createdAt,
      tie: paymentSchedules.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

const INSTANCES: ListTable<Instance> = {
  sort: {
    created_at: {
      type: "date",
      column: paymentInstances.createdAt,
      tie: paymentInstances.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the schedules of a connector. Throws `NOT_FOUND`. */
export async function listSchedules(
  context: Reads,
  { id, query }: { readonly id: ConnectorId; readonly query: PageQuery },
): Promise<Page<Schedule>> {
  const { key } = await getConnector(context, id);
  return listPage(query, {
    ...SCHEDULES,
    read: ({ where, orderBy, limit, offset }) =>
      databaseOf(context.env)
        .select()
        .from(paymentSchedules)
        .where(and(eq(paymentSchedules.connectorKey, key), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
}

export interface ScheduleTarget {
  readonly connector: ConnectorId;
  /** The id of the schedule, as `scheduleIdOf` makes it. */
  readonly scheduleId: string;
}

/** The schedule with an id. Throws `NOT_FOUND`. */
export async function getSchedule(
  context: Reads,
  { connector, scheduleId }: ScheduleTarget,
): Promise<Schedule> {
  const { key } = await getConnector(context, connector);
  const task = taskInScheduleId(connector, scheduleId) as FetchTask; // the text is only compared
  const [schedule] = await databaseOf(context.env)
    .select()
    .from(paymentSchedules)
    .where(and(eq(paymentSchedules.connectorKey, key), eq(paymentSchedules.task, task)));
  if (schedule === undefined) throw new AppError("NOT_FOUND", "cannot get schedule: not found");
  return schedule;
}

/** A page of the runs of a schedule. Throws `NOT_FOUND`. */
export async function listInstances(
  context: Reads,
  { query, ...target }: ScheduleTarget & { readonly query: PageQuery },
): Promise<Page<Instance>> {
  const { key } = await getSchedule(context, target);
  return listPage(query, {
    ...INSTANCES,
    read: ({ where, orderBy, limit, offset }) =>
      databaseOf(context.env)
        .select()
        .from(paymentInstances)
        .where(and(eq(paymentInstances.scheduleKey, key), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
}
