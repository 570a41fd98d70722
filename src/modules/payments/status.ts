import { asc, sql } from "drizzle-orm";
import { paymentBookings } from "./bookings/tables.ts";
import { encodeConnectorId, encodeOwnedId } from "./core/ids.ts";
import { UNTIL_DECIDED } from "./initiations/movement-rows.ts";
import { paymentMovements } from "./initiations/tables.ts";
import { paymentConnectors } from "./installs/tables.ts";
import { paymentJobs } from "./jobs/tables.ts";
import { isLooking } from "./lookups/lookup-rows.ts";
import { paymentLookups, paymentReviews } from "./lookups/tables.ts";
import { paymentRejectedItems } from "./rejected/tables.ts";
import { paymentSchedules } from "./schedules/tables.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { parseColumns } from "#platform/json.ts";
import { FAMILIES } from "#platform/status/families.ts";
import { ageSeconds, firstProblems, sample, type StatusSection } from "#platform/status/section.ts";
import { queuesSection } from "#platform/status/work-queues.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";
import { IS_PENDING } from "#platform/work/sync-columns.ts";

const MODULE = "payments";

/** Provider and reference of a row's connector, as JSON. */
const CONNECTOR = sql`(SELECT json_array(provider, reference) FROM payment_connectors WHERE key = connector_key)`;

/** The id of the connector that `CONNECTOR` gives; empty for a connector that is gone. */
function idOfConnector(json: string): string {
  if (json === "") return "";
  const [provider, reference] = parseColumns(json) as [string, string]; // `CONNECTOR` has this form.
  return encodeConnectorId({ provider, reference });
}

const OF_CONNECTOR = { id: CONNECTOR, show: idOfConnector };

/** The id of the initiation of a movement; empty for an initiation of a connector that is gone. */
function idOfInitiation(json: string): string {
  const [connector, reference] = parseColumns(json) as [[string, string] | null, string]; // `MOVEMENT` has this form.
  if (connector === null) return "";
  const [provider, of] = connector;
  return encodeOwnedId({ connector: { provider, reference: of }, reference });
}

const MOVEMENT = {
  id: sql`json_array(json(${CONNECTOR}), (SELECT reference FROM payment_initiations WHERE key = initiation_key))`,
  show: idOfInitiation,
  path: (id: string) => `/api/payments/v3/payment-initiations/${idOfInitiation(id)}`,
};

const money = queuesSection(
  MODULE,
  { name: "money", description: "Initiations and reversals whose outcome is not known yet" },
  [
    {
      work: "movements",
      item: MOVEMENT,
      table: sql`${paymentMovements}`,
      where: sql`due_at < ${UNTIL_DECIDED}
        AND NOT ${isLooking(sql`connector_key`)}`,
      due: sql`due_at`,
      graceMs: 60_000,
      severity: "critical",
      why: "the objects of their connectors have not taken the next step in time",
      whatToDo: "look at the log for the sweep of initiations, which wakes these objects",
    },
    {
      work: "failing-movements",
      item: { ...MOVEMENT, reason: sql`last_error` },
      table: sql`${paymentMovements}`,
      where: sql`failing_since IS NOT NULL`,
      due: sql`failing_since`,
      order: sql`connector_key`,
      graceMs: 60_000,
      severity: "critical",
      why: "calls of the provider have had no outcome, so that nobody knows whether money moved",
      whatToDo:
        "look at the connector's health, which has the last error; the provider is asked again by itself, and pays once",
    },
    {
      work: "payment-reviews",
      item: {
        id: sql`id`,
        reason: sql`reason`,
        path: (id) => `/api/florin/v1/payments/reviews/${id}`,
      },
      table: sql`${paymentReviews}`,
      where: sql`status = 'open' AND EXISTS (SELECT 1 FROM payment_initiations AS p WHERE p.key = initiation_key)`,
      due: sql`created_at`,
      graceMs: 0,
      isOverdue: sql`TRUE`,
      severity: "critical",
      why: "the original of this restored deployment may have made these payments, and their providers cannot be asked; they wait for a person",
      whatToDo:
        "compare each with the provider's list of payments, and decide about it: npm run florin -- reviews list; see docs/operations/disarmed.md",
    },
    {
      work: "payment-lookups",
      item: {
        ...OF_CONNECTOR,
        reason: sql`last_error`,
        path: () => "/api/florin/v1/arming",
      },
      table: sql`${paymentLookups}`,
      where: sql`ended_at IS NULL`,
      due: sql`began_at`,
      graceMs: 600_000,
      isOverdue: sql`failing_since IS NOT NULL`,
      severity: "critical",
      why: "these connectors look up what the original of this restored deployment has paid, and do not get to the end; no money of them moves before",
      whatToDo:
        "repair what the reason says, such as the provider's key or rejected items; the look-up goes on by itself",
    },
  ],
);

const queues = queuesSection(
  MODULE,
  { name: "queues", description: "Polling, calls of providers, and bookings" },
  [
    {
      work: "schedules",
      item: {
        ...OF_CONNECTOR,
        reason: sql`last_error`,
        path: (id) => `/api/payments/v3/connectors/${idOfConnector(id)}/schedules`,
      },
      table: sql`${paymentSchedules}`,
      due: sql`next_at`,
      graceMs: 120_000,
      severity: "critical",
      why: "the next step of these schedules is past, and their objects have not taken it",
      whatToDo: "look at the log for the sweep of connectors, which wakes these objects",
    },
    {
      work: "jobs",
      item: { id: sql`name`, path: () => "/api/florin/v1/payments/connectors/health" },
      table: sql`${paymentJobs}`,
      where: IS_PENDING,
      due: sql`created_at`,
      order: sql`sync_after`,
      graceMs: 300_000,
      severity: "warning",
      why: "calls of providers that follow an answer have failed and are repeated",
      whatToDo: "look at the log for 'payment-jobs', which has the provider's error",
    },
    {
      work: "failing-bookings",
      item: {
        id: sql`id`,
        reason: sql`error`,
        path: (id) => `/api/florin/v1/payments/bookings/${id}`,
      },
      table: sql`${paymentBookings}`,
      where: sql`attempts > 0`,
      due: sql`updated_at`,
      graceMs: 0,
      isOverdue: sql`TRUE`,
      severity: "warning",
      why: "the ledger does not take the payments of these bookings",
      whatToDo: "look at the booking, which shows the error; it is repeated by itself",
    },
    {
      work: "rejected-items",
      item: {
        ...OF_CONNECTOR,
        reason: sql`reason`,
        path: (id) => `/api/florin/v1/payments/connectors/${idOfConnector(id)}/rejected`,
      },
      table: sql`${paymentRejectedItems}`,
      due: sql`created_at`,
      order: sql`key`,
      graceMs: 0,
      isOverdue: sql`TRUE`,
      severity: "warning",
      why: "items of providers could not be stored",
      whatToDo: "list the connectors' rejected items, which show why",
    },
  ],
);

/** Most connectors that are read. */
const CONNECTORS_MAX = 100;

interface PolledRow {
  readonly provider: string;
  readonly reference: string;
  readonly polledAt: Timestamp;
}

/** Connectors that are not healthy, those first that have not been for longest. */
const unhealthyConnectors = (db: Database, max: number) =>
  db
    .select()
    .from(paymentConnectors)
    .where(sql`health <> 'healthy' AND deleted_at IS NULL`)
    .orderBy(asc(paymentConnectors.healthSince))
    .limit(max);

const problemOf = ({
  name,
  provider,
  reference,
  health,
  healthSince,
}: typeof paymentConnectors.$inferSelect) => ({
  severity: "warning" as const,
  what: `${name} (${encodeConnectorId({ provider, reference })})`,
  sinceMs: healthSince === null ? undefined : toMillis(healthSince),
  why: `the connector is ${health}`,
  whatToDo:
    "look at the connector's health, which has the provider's last error; correct its config or wait for the provider",
});

/** How long ago connectors were polled, and which are not healthy. */
const connectors: StatusSection = {
  name: "connectors",
  description: "Connectors: when they were last polled, and which are not healthy",
  read: async ({ env, clock }) => {
    const nowMs = toMillis(clock());
    const db = databaseOf(env);
    const [polled, unhealthy] = await Promise.all([
      db.all<PolledRow>(sql`
        SELECT c.provider, c.reference, min(coalesce(s.last_success_at, s.created_at)) AS polledAt
        FROM (SELECT key, provider, reference FROM ${paymentConnectors}
          WHERE deleted_at IS NULL ORDER BY key LIMIT ${sql.raw(String(CONNECTORS_MAX))}) AS c
        JOIN ${paymentSchedules} AS s ON s.connector_key = c.key GROUP BY c.key`),
      unhealthyConnectors(db, CONNECTORS_MAX),
    ]);
    return {
      samples: [
        sample(FAMILIES.workWaiting, unhealthy.length, {
          module: MODULE,
          work: "unhealthy-connectors",
        }),
        sample(FAMILIES.workOverdue, unhealthy.length, {
          module: MODULE,
          work: "unhealthy-connectors",
        }),
        ...polled.map(({ provider, reference, polledAt }) =>
          sample(FAMILIES.pollingAge, ageSeconds(toMillis(polledAt), nowMs), {
            connector: encodeConnectorId({ provider, reference }),
            provider,
          }),
        ),
      ],
      problems: firstProblems(unhealthy.map(problemOf)),
    };
  },
  stuck: async ({ env }, max) => {
    const unhealthy = await unhealthyConnectors(databaseOf(env), max);
    return unhealthy.map((connector) => ({
      ...problemOf(connector),
      work: "unhealthy-connectors",
      path: `/api/florin/v1/payments/connectors/${encodeConnectorId(connector)}/health`,
    }));
  },
};

/** What waits in the module. */
export const PAYMENTS_STATUS: readonly StatusSection[] = [money, connectors, queues];
