import { eq, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { healthEvent } from "./event-types.ts";
import {
  healthNews,
  type HealthPart,
  type MovementFacts,
  movementHealth,
  scheduleHealth,
  worstPart,
} from "#modules/payments/core/connector-health.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { paymentSchedules } from "#modules/payments/schedules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { OutboxEvent } from "#platform/events/outbox-store.ts";

/** What stores a change of the health of a connector, and tells of it: nothing where it stays as it is. */
export interface HealthTransition {
  readonly statements: readonly BatchItem<"sqlite">[];
  readonly events: readonly OutboxEvent[];
}

type Context = Pick<ServiceContext, "env" | "clock">;
type Schedule = typeof paymentSchedules.$inferSelect;
type Movement = typeof paymentMovements.$inferSelect;

const NOTHING: HealthTransition = { statements: [], events: [] };

/**
 * What follows for the health of a connector from a schedule that is about to be changed. It belongs into the batch of that change:
 *
 *     healthy, degraded  --a run fails, or a fifth call for a movement-->  failing  --ten runs in a row-->  paused
 *            ^  ^--------all go on, and no movement has failed so often-------'  ^----new configuration----' |
 *            '------------------------------all go on------------------------------------------------------'
 *
 * Of two that are made of the same health, one is refused, and `isStaleHealth` says so of its error: each change is published once.
 */
export async function healthTransition(
  context: Context,
  connector: InstalledConnector,
  changed: Schedule,
): Promise<HealthTransition> {
  const { row, schedules, movement } = await read(context, connector, 0);
  if (row === undefined) return NOTHING;
  const others = schedules.filter(({ key }) => key !== changed.key);
  const after = worstPart([...[...others, changed].map(scheduleHealth), ...movement]);
  return transition(context, connector, { row, after, nextRunAt: changed.nextAt });
}

/**
 * The same from a movement whose trouble is about to change, or that ends, where `after` is undefined. The batch is refused where the
 * movement has changed since it was read.
 */
export async function movementTransition(
  context: Context,
  connector: InstalledConnector,
  { movement, after }: { readonly movement: Movement; readonly after?: MovementFacts },
): Promise<HealthTransition> {
  const changed = after === undefined ? ({ health: "healthy" } as const) : movementHealth(after);
  if (movementHealth(movement).health === changed.health) return NOTHING;
  const { row, schedules, movement: other } = await read(context, connector, movement.key);
  if (row === undefined) return NOTHING;
  return transition(context, connector, {
    row,
    after: worstPart([...schedules.map(scheduleHealth), ...other, changed]),
    condition: isAsRead(movement),
  });
}

/** Whether a movement is there with the trouble that was read. */
export const isAsRead = ({ key, failures, failingSince }: Movement): SQL => sql`EXISTS (
  SELECT 1 FROM ${paymentMovements} AS m
  WHERE m.key = ${key} AND m.failures = ${failures} AND m.failing_since IS ${failingSince})`;

/** The health of a connector as it is stored, and what it is made of: its schedules, and the worst movement but one. */
async function read({ env }: Context, { key }: InstalledConnector, without: Movement["key"]) {
  const db = databaseOf(env);
  const [[row], schedules, movements] = await db.batch([
    db
      .select({
        health: paymentConnectors.health,
        since: paymentConnectors.healthSince,
        version: paymentConnectors.healthVersion,
      })
      .from(paymentConnectors)
      .where(eq(paymentConnectors.key, key)),
    db.select().from(paymentSchedules).where(eq(paymentSchedules.connectorKey, key)),
    db
      .select()
      .from(paymentMovements)
      .where(sql`connector_key = ${key} AND failing_since IS NOT NULL AND key <> ${without}`)
      .orderBy(sql`failures DESC`)
      .limit(1),
  ]);
  return { row, schedules, movement: movements.map(movementHealth) };
}

interface Change {
  readonly row: NonNullable<Awaited<ReturnType<typeof read>>["row"]>;
  readonly after: HealthPart;
  readonly nextRunAt?: Schedule["nextAt"];
  /** What has to be so when the change is stored. */
  readonly condition?: SQL;
}

function transition(
  { env, clock }: Context,
  connector: InstalledConnector,
  { row, after, nextRunAt, condition = sql`1` }: Change,
): HealthTransition {
  if (after.health === row.health) return NOTHING;
  const at = clock();
  const version = row.version + 1;
  const type = healthNews(row.health, after.health);
  const before = { health: row.health, since: row.since ?? undefined };
  return {
    statements: [
      databaseOf(env)
        .update(paymentConnectors)
        .set({
          health: after.health,
          healthSince: sinceOf(after, at),
          healthVersion: sql`CASE WHEN health_version = ${row.version} AND ${condition} THEN ${version} END`,
        })
        .where(eq(paymentConnectors.key, connector.key)),
    ],
    events:
      type === undefined
        ? []
        : [healthEvent(connector, { type, version, at, before, after, nextRunAt })],
  };
}

/** A connector is well since it has become so; a trouble is as old as what it is about. */
const sinceOf = ({ health, since }: HealthPart, now: HealthPart["since"]) =>
  (health === "healthy" ? undefined : since) ?? now;

const STALE = /NOT NULL constraint failed: payment_connectors\.health_version/;

/** Whether a batch was refused because the health of the connector had changed meanwhile. */
export const isStaleHealth = (message: string): boolean => STALE.test(message);
