import { sql } from "drizzle-orm";
import {
  type ConnectorHealth,
  type HealthPart,
  type MovementFacts,
  movementHealth,
  scheduleHealth,
  worstPart,
} from "#modules/payments/core/connector-health.ts";
import type { ConnectorId, OwnedId } from "#modules/payments/core/ids.ts";
import { paymentInitiations, paymentMovements } from "#modules/payments/initiations/tables.ts";
import { CONNECTORS } from "#modules/payments/installs/list.ts";
import {
  CONNECTOR_COLUMNS,
  type InstalledConnector,
  toConnector,
  unknownConnector,
} from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { paymentRejectedItems } from "#modules/payments/rejected/tables.ts";
import type { Schedule } from "#modules/payments/schedules/schedule.ts";
import { paymentSchedules } from "#modules/payments/schedules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { listPage } from "#platform/db/list.ts";
import { stringifyJson } from "#platform/json.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { Timestamp } from "#platform/time.ts";

type Reads = Pick<ServiceContext, "env">;

/** The health of a connector with its details. */
export interface ConnectorReport {
  readonly connector: InstalledConnector;
  readonly health: ConnectorHealth;
  readonly since: Timestamp;
  readonly lastSuccessAt?: Timestamp | undefined;
  readonly lastFailureAt?: Timestamp | undefined;
  /** The error of the worst part; the error of the last failure if the connector is healthy. */
  readonly lastError?: string | undefined;
  /** The time of its next run or probe. */
  readonly nextRunAt?: Timestamp | undefined;
  readonly schedules: readonly Schedule[];
  readonly movements?: MovementTrouble | undefined;
}

/** The failing movements of a connector: the one that has failed most often, and their number. */
export interface MovementTrouble extends MovementFacts {
  /** The number of movements whose last call had no outcome. */
  readonly count: number;
  readonly failingSince: Timestamp;
  readonly attempts: number;
  readonly nextAttemptAt: Timestamp;
  readonly initiation: OwnedId;
}

const COLUMNS = {
  ...CONNECTOR_COLUMNS,
  health: paymentConnectors.health,
  healthSince: paymentConnectors.healthSince,
};
type Row = Pick<typeof paymentConnectors.$inferSelect, keyof typeof COLUMNS>;

/** A page of the reports of all connectors, including connectors that are being uninstalled. */
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
  const report = await reporterOf(db, page.data);
  return mapPage(page, report);
}

/** The report of one connector. Throws `NOT_FOUND`. */
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
  const report = await reporterOf(db, [row]);
  return report(row);
}

/** Reads the parts of some connectors, and returns the function that makes their reports. */
async function reporterOf(
  db: Database,
  rows: readonly Row[],
): Promise<(row: Row) => ConnectorReport> {
  const [schedules, deliveries, movements] = await Promise.all([
    schedulesOf(db, rows),
    deliveriesOf(db, rows),
    troublesOf(db, rows),
  ]);
  return (row) =>
    toReport(row, {
      schedules: schedules.get(row.key) ?? [],
      deliveries: deliveries.get(row.key),
      movements: movements.get(row.key),
    });
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

/** The health of connectors with rejected items of webhooks, by connector. */
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

interface Parts {
  readonly schedules: readonly Schedule[];
  readonly deliveries: HealthPart | undefined;
  readonly movements: MovementTrouble | undefined;
}

/** The failing movements of connectors, by connector. */
async function troublesOf(
  db: Database,
  rows: readonly Pick<Row, "key" | "provider" | "reference">[],
): Promise<ReadonlyMap<number, MovementTrouble>> {
  const keys = stringifyJson(rows.map(({ key }) => key));
  // With max(), SQLite takes the other columns from the row with the largest value.
  const found = await db.all<Omit<MovementTrouble, "initiation"> & { key: number; of: string }>(sql`
    SELECT t.key, t.count, t.failures, t.failingSince, t.lastError, t.attempts, t.nextAttemptAt, i.reference AS "of" FROM (
      SELECT m.connector_key AS "key", m.initiation_key, count(*) AS "count", max(m.failures) AS "failures",
        m.failing_since AS "failingSince", m.last_error AS "lastError", m.claims AS "attempts",
        m.due_at AS "nextAttemptAt"
      FROM ${paymentMovements} AS m
      WHERE m.failing_since IS NOT NULL AND m.connector_key IN (SELECT value FROM json_each(${keys}))
      GROUP BY m.connector_key) AS t
    JOIN ${paymentInitiations} AS i ON i.key = t.initiation_key`);
  const byKey = new Map(rows.map((row) => [row.key, row]));
  return new Map(
    found.flatMap(({ key, of, ...trouble }) => {
      const row = byKey.get(key);
      if (row === undefined) return [];
      const connector = { provider: row.provider, reference: row.reference };
      return [[key, { ...trouble, initiation: { connector, reference: of } }] as const];
    }),
  );
}

/**
 * The parts of a connector's health, of which the report shows the worst. The stored health covers schedules and movements
 * only, because its events were published from it.
 */
function partsOf(row: Row, { schedules, deliveries, movements }: Parts): readonly HealthPart[] {
  const moving = movements === undefined ? undefined : movementHealth(movements);
  const error = errorOf(row, schedules) ?? moving?.error;
  return [
    ...(deliveries === undefined ? [] : [deliveries]),
    ...(moving === undefined ? [] : [moving]),
    { health: row.health, since: row.healthSince ?? row.createdAt, error },
  ];
}

function toReport(row: Row, parts: Parts): ConnectorReport {
  const { schedules, movements } = parts;
  const { health, since, error } = worstPart(partsOf(row, parts));
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
    movements,
  };
}

/**
 * The error of a schedule as bad as the connector, or of any schedule if the connector is healthy; of several, the one that
 * failed last.
 */
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
