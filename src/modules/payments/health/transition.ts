import { eq, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { healthEvent } from "./event-types.ts";
import {
  healthNews,
  type HealthPart,
  scheduleHealth,
  worstPart,
} from "#modules/payments/core/connector-health.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { paymentSchedules } from "#modules/payments/polling/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";

/** What stores a change of the health of a connector, and tells of it: nothing where it stays as it is. */
export interface HealthTransition {
  readonly statements: readonly BatchItem<"sqlite">[];
  readonly events: readonly OutboxEvent[];
}

type Schedule = typeof paymentSchedules.$inferSelect;

const NOTHING: HealthTransition = { statements: [], events: [] };

/**
 * What follows for the health of a connector from a schedule that is about to be changed. It belongs into the batch of that change:
 *
 *     healthy, degraded  --a run fails-->  failing  --ten in a row-->  paused
 *            ^  ^-----------all go on---------'  ^---new configuration---' |
 *            '--------------------all go on--------------------------------'
 *
 * Of two that are made of the same health, one is refused, and `isStaleHealth` says so of its error: each change is published once.
 */
export async function healthTransition(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  connector: InstalledConnector,
  changed: Schedule,
): Promise<HealthTransition> {
  const db = databaseOf(env);
  const [[row], schedules] = await db.batch([
    db
      .select({
        health: paymentConnectors.health,
        since: paymentConnectors.healthSince,
        version: paymentConnectors.healthVersion,
      })
      .from(paymentConnectors)
      .where(eq(paymentConnectors.key, connector.key)),
    db.select().from(paymentSchedules).where(eq(paymentSchedules.connectorKey, connector.key)),
  ]);
  if (row === undefined) return NOTHING;
  const others = schedules.filter(({ key }) => key !== changed.key);
  const after = worstPart([...others, changed].map(scheduleHealth));
  if (after.health === row.health) return NOTHING;
  const at = clock();
  const version = row.version + 1;
  const type = healthNews(row.health, after.health);
  const before = { health: row.health, since: row.since ?? undefined };
  return {
    statements: [
      db
        .update(paymentConnectors)
        .set({
          health: after.health,
          healthSince: sinceOf(after, at),
          healthVersion: sql`CASE WHEN health_version = ${row.version} THEN ${version} END`,
        })
        .where(eq(paymentConnectors.key, connector.key)),
    ],
    events:
      type === undefined
        ? []
        : [healthEvent(connector, { type, version, at, before, after, nextRunAt: changed.nextAt })],
  };
}

/** A connector is well since it has become so; a trouble is as old as what it is about. */
const sinceOf = ({ health, since }: HealthPart, now: HealthPart["since"]) =>
  (health === "healthy" ? undefined : since) ?? now;

const STALE = /NOT NULL constraint failed: payment_connectors\.health_version/;

/** Whether a batch was refused because the health of the connector had changed meanwhile. */
export const isStaleHealth = (message: string): boolean => STALE.test(message);
