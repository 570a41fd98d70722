import { sql } from "drizzle-orm";
import {
  type ConnectorHealth,
  type HealthPart,
  scheduleHealth,
  worstPart,
} from "#modules/payments/core/connector-health.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { CONNECTORS } from "#modules/payments/installs/list.ts";
import {
  CONNECTOR_COLUMNS,
  type InstalledConnector,
  toConnector,
  unknownConnector,
} from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { Schedule } from "#modules/payments/polling/schedule.ts";
import { paymentSchedules } from "#modules/payments/polling/tables.ts";
import { paymentRejectedItems } from "#modules/payments/rejected/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { listPage } from "#platform/db/list.ts";
import { stringifyJson } from "#platform/json.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";

type Reads = Pick<ServiceContext, "env">;

/** How a connector is doing. */
export interface ConnectorReport {
  readonly connector: InstalledConnector;
  readonly health: ConnectorHealth;
  readonly since: Timestamp;
  readonly lastSuccessAt?: Timestamp | undefined;
  readonly lastFailureAt?: Timestamp | undefined;
  /** The error of the part that is worst; that of the last failure where all is well. */
  readonly lastError?: string | undefined;
  /** When its next run, or probe, is due. */
  readonly nextRunAt?: Timestamp | undefined;
  readonly schedules: readonly Schedule[];
}

const COLUMNS = {
  ...CONNECTOR_COLUMNS,
  health: paymentConnectors.health,
  healthSince: paymentConnectors.healthSince,
};
type Row = Pick<typeof paymentConnectors.$inferSelect, keyof typeof COLUMNS>;

/** A page of the reports of all connectors, also of those that are being uninstalled. */
export async function listReports(
  { env }: Reads,
  query: PageQuery,
): Promise<Page<ConnectorReport>> {
  const db = databaseOf(env);
  const page = await listPage(query, {
    ...CONNECTORS,
    read: ({ where, orderBy, limit, offset }) =>
      db
        .select({ ...COLUMNS, config: sql<string>`''` })
        .from(paymentConnectors)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
  const [schedules, deliveries] = await Promise.all([
    schedulesOf(db, page.data),
    deliveriesOf(db, page.data),
  ]);
  return mapPage(page, (row) =>
    toReport(row, schedules.get(row.key) ?? [], deliveries.get(row.key)),
  );
}

/** The same of one connector. Throws `NOT_FOUND`. */
export async function readReport(
  { env }: Reads,
  { provider, reference }: ConnectorId,
): Promise<ConnectorReport> {
  const db = databaseOf(env);
  const [row] = await db
    .select(COLUMNS)
    .from(paymentConnectors)
    .where(sql`reference = ${reference} AND provider = ${provider}`);
  if (row === undefined) throw unknownConnector();
  const [schedules, deliveries] = await Promise.all([
    schedulesOf(db, [row]),
    deliveriesOf(db, [row]),
  ]);
  return toReport(row, schedules.get(row.key) ?? [], deliveries.get(row.key));
}

async function schedulesOf(
  db: Database,
  rows: readonly Pick<Row, "key">[],
): Promise<ReadonlyMap<number, Schedule[]>> {
  const keys = stringifyJson(rows.map(({ key }) => key));
  const schedules = await db
    .select()
    .from(paymentSchedules)
    .where(sql`connector_key IN (SELECT value FROM json_each(${keys}))`)
    .orderBy(paymentSchedules.key);
  return Map.groupBy(schedules, ({ connectorKey }) => connectorKey);
}

/** What is set aside of the deliveries of webhooks, where something is. */
async function deliveriesOf(
  db: Database,
  rows: readonly Pick<Row, "key">[],
): Promise<ReadonlyMap<number, HealthPart>> {
  const keys = stringifyJson(rows.map(({ key }) => key));
  const found = await db.all<{ key: number; since: Timestamp; error: string }>(sql`
    SELECT connector_key AS key, min(created_at) AS since, item_id || ' is set aside: ' || reason AS error
    FROM ${paymentRejectedItems}
    WHERE schedule_key = 0 AND connector_key IN (SELECT value FROM json_each(${keys}))
    GROUP BY connector_key`);
  return new Map(found.map(({ key, since, error }) => [key, { health: "degraded", since, error }]));
}

/**
 * What the health of a connector is made of. Whatever else a connector does that can go wrong, such as movements of money, is one more part
 * here; the worst part is what the connector shows.
 */
const partsOf = (
  row: Row,
  schedules: readonly Schedule[],
  deliveries: HealthPart | undefined,
): readonly HealthPart[] => [
  ...(deliveries === undefined ? [] : [deliveries]),
  { health: row.health, since: row.healthSince ?? row.createdAt, error: errorOf(row, schedules) },
];

function toReport(
  row: Row,
  schedules: readonly Schedule[],
  deliveries: HealthPart | undefined,
): ConnectorReport {
  const { health, since, error } = worstPart(partsOf(row, schedules, deliveries));
  const times = {
    succeeded: schedules.map(({ lastSuccessAt }) => lastSuccessAt),
    failed: schedules.map(({ lastFailureAt }) => lastFailureAt),
  };
  return {
    connector: toConnector(row),
    health,
    since: since ?? row.createdAt,
    lastSuccessAt: latestOf(times.succeeded),
    lastFailureAt: latestOf(times.failed),
    lastError: error,
    nextRunAt:
      row.deletedAt === null ? schedules.map(({ nextAt }) => nextAt).toSorted()[0] : undefined,
    schedules,
  };
}

/** The error of the schedule that is as bad as the connector, or of the one that has failed last. */
function errorOf({ health }: Row, schedules: readonly Schedule[]): string | undefined {
  const worst = schedules.filter((schedule) => scheduleHealth(schedule).health === health);
  const [last] = (health === "healthy" ? schedules : worst).toSorted((a, b) =>
    (b.lastFailureAt ?? "") < (a.lastFailureAt ?? "") ? -1 : 1,
  );
  return last?.lastError ?? undefined;
}

const latestOf = (times: readonly (Timestamp | null)[]): Timestamp | undefined =>
  times
    .filter((time) => time !== null)
    .toSorted()
    .at(-1);
