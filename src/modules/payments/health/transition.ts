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

/** The statements and events of a change of a connector's health; empty if the health stays. */
export interface HealthTransition {
  readonly statements: readonly BatchItem<"sqlite">[];
  readonly events: readonly OutboxEvent[];
}

type Context = Pick<ServiceContext, "env" | "clock">;
type Schedule = typeof paymentSchedules.$inferSelect;
type Movement = typeof paymentMovements.$inferSelect;

const NOTHING: HealthTransition = { statements: [], events: [] };

/**
 * The change of a connector's health that follows from a change of a schedule. It goes into the batch of the schedule's
 * change:
 *
 *     healthy, degraded  --a run breaks off, or a fifth call for a movement-->  failing  --ten runs in a row-->  paused
 *            ^  ^--------all runs complete, and no movement has failed so often----'  ^----new configuration------' |
 *            '------------------------------all runs complete-------------------------------------------------------'
 *
 * Of two changes of the same health, one batch is refused, and `isStaleHealth` recognises its error, so that each change is
 * published once.
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
 * The change of a connector's health that follows from a change of a movement's failures, or from its end, for which
 * `after` is undefined. The batch is refused if the movement has changed since it was read.
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

/** The condition that a movement exists with the failures that were read. */
export const isAsRead = ({ key, failures, failingSince }: Movement): SQL => sql`EXISTS (
  SELECT 1 FROM ${paymentMovements} AS m
  WHERE m.key = ${key} AND m.failures = ${failures} AND m.failing_since IS ${failingSince})`;

/** The stored health of a connector, its schedules, and the worst movement other than `without`. */
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
  /** A condition under which the change may be stored. */
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

/** The time since which a health lasts: for a healthy connector now, for any other the time at which its worst part failed. */
const sinceOf = ({ health, since }: HealthPart, now: HealthPart["since"]) =>
  (health === "healthy" ? undefined : since) ?? now;

const STALE = /NOT NULL constraint failed: payment_connectors\.health_version/;

/** Whether a batch was refused because the health of the connector had changed meanwhile. */
export const isStaleHealth = (message: string): boolean => STALE.test(message);
