import { and, eq, isNull, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { paymentLookups } from "./tables.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { paymentSchedules } from "#modules/payments/schedules/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * The look-up of a connector, from its arming on:
 *
 *     disarmed ── arm ──► looking ── all orders are looked up ──► ended: money moves, but that of orders under review
 *                            │  ▲
 *                            └──┘ the provider is away, or a run was partial: later again
 *
 * While it is under way, the connector polls and takes webhooks; no movement is claimed, and nothing is approved, retried or reversed.
 */
export type Lookup = typeof paymentLookups.$inferSelect;

/** The condition that the look-up of a connector is under way. */
export const isLooking = (connectorKey: SQLWrapper): SQL => sql`EXISTS (
  SELECT 1 FROM payment_lookups AS l WHERE l.connector_key = ${connectorKey} AND l.ended_at IS NULL)`;

/** The condition that a connector was armed since the deployment was restored: also later, the original's payments may be shown. */
export const isOfCopy = (connectorKey: SQLWrapper): SQL => sql`EXISTS (
  SELECT 1 FROM payment_lookups AS l WHERE l.connector_key = ${connectorKey})`;

/** The look-up of a connector since the deployment was restored; undefined for none. */
export async function findLookup(
  { env }: Pick<ServiceContext, "env">,
  connectorKey: number,
): Promise<Lookup | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentLookups)
    .where(eq(paymentLookups.connectorKey, connectorKey));
  return row;
}

export interface LookupOrder {
  /** Whether the operator leaves the look-up out. */
  readonly isSkipped: boolean;
  /** The condition under which the look-up begins. */
  readonly condition: SQL;
}

/**
 * The statements that begin the look-up of the connector with a reference, for the batch that arms it. A look-up that has ended stays so; one
 * that was under way begins anew, because runs from before a disarming do not count (`FLORIN_DISARMED` alone does not begin it anew). All schedules are due at once.
 */
export function beginLookup(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  reference: string,
  order: LookupOrder,
): BatchItem<"sqlite">[] {
  const now = clock();
  const connectorKey = sql`(SELECT key FROM ${paymentConnectors} WHERE reference = ${reference})`;
  const begins = insertLookups(env, now, {
    ...order,
    condition: sql`c.reference = ${reference} AND ${order.condition}`,
  });
  if (order.isSkipped) return [begins];
  const isThis = sql`${paymentSchedules.connectorKey} = ${connectorKey} AND ${isLooking(connectorKey)}`;
  return [begins, hurry(env, now, isThis)];
}

/**
 * The statements that begin the look-ups of all connectors that have none yet, for the batch that arms everything. Also a connector without open
 * orders looks: a workflow may order later what the original has paid. If the operator leaves look-ups out, those under way end, too.
 */
export function beginLookups(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  order: LookupOrder,
): BatchItem<"sqlite">[] {
  const now = clock();
  const isAffected = order.isSkipped
    ? sql`TRUE`
    : sql`c.key NOT IN (SELECT connector_key FROM payment_lookups)`;
  const condition = sql`${order.condition} AND ${isAffected}`;
  const begins = insertLookups(env, now, { ...order, condition });
  if (order.isSkipped) return [begins];
  return [
    begins,
    hurry(env, now, sql`${isLooking(sql`payment_schedules.connector_key`)} AND ${order.condition}`),
  ];
}

/** The statement that makes the schedules of connectors due at once. */
const hurry = (env: Pick<Env, "DB">, now: Timestamp, ofConnectors: SQL): BatchItem<"sqlite"> =>
  databaseOf(env)
    .update(paymentSchedules)
    .set({ nextAt: sql`min(next_at, ${now})`, version: sql`version + 1` })
    .where(sql`${paymentSchedules.instanceKey} IS NULL AND ${ofConnectors}`);

function insertLookups(
  env: Pick<Env, "DB">,
  now: Timestamp,
  { isSkipped, condition }: LookupOrder,
): BatchItem<"sqlite"> {
  return databaseOf(env)
    .insert(paymentLookups)
    .select(sql`
      SELECT ${columnValues(paymentLookups, {
        connectorKey: sql`c.key`,
        beganAt: now,
        firstBeganAt: now,
        endedAt: isSkipped ? now : null,
        isSkipped: isSkipped ? sql`1` : sql`0`,
        position: sql`0`,
        dueAt: now,
        failures: sql`0`,
        failingSince: null,
        lastError: null,
      })}
      FROM ${paymentConnectors} AS c WHERE c.deleted_at IS NULL AND ${condition}`)
    .onConflictDoUpdate({
      target: paymentLookups.connectorKey,
      set: {
        beganAt: sql`excluded.began_at`,
        endedAt: sql`excluded.ended_at`,
        isSkipped: sql`excluded.is_skipped`,
        position: 0,
        dueAt: sql`excluded.due_at`,
        failures: 0,
        failingSince: null,
        lastError: null,
      },
      setWhere: sql`${paymentLookups.endedAt} IS NULL`,
    });
}

/**
 * The statement that ends look-ups under way without their answers, of one connector or of all: their money then moves. Returns the keys of the
 * connectors.
 */
export const skipLookups = (
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  reference: string | undefined,
) =>
  databaseOf(env)
    .update(paymentLookups)
    .set({ endedAt: clock(), isSkipped: true, failingSince: null, lastError: null })
    .where(
      and(
        isNull(paymentLookups.endedAt),
        reference === undefined
          ? undefined
          : sql`${paymentLookups.connectorKey} = (SELECT key FROM ${paymentConnectors} WHERE reference = ${reference})`,
      ),
    )
    .returning({ connectorKey: paymentLookups.connectorKey });

/** The statement that forgets all look-ups, because the deployment is restored from now on. */
export const forgetLookups = ({ env }: Pick<ServiceContext, "env">): BatchItem<"sqlite"> =>
  databaseOf(env).delete(paymentLookups);

/** The state of a connector's look-up as an operator sees it. */
export interface LookupState {
  /** The UUID of the installation. */
  readonly reference: string;
  /** The id of the connector in the API. */
  readonly connectorId: string;
  readonly beganAt: Timestamp;
  /** Null while the look-up is under way. */
  readonly endedAt: Timestamp | null;
  readonly isSkipped: boolean;
  readonly failingSince: Timestamp | null;
  readonly lastError: string | null;
}

/** The look-ups of all connectors. */
export async function readLookups({ env }: Pick<ServiceContext, "env">): Promise<LookupState[]> {
  const rows = await databaseOf(env)
    .select({
      provider: paymentConnectors.provider,
      reference: paymentConnectors.reference,
      beganAt: paymentLookups.beganAt,
      endedAt: paymentLookups.endedAt,
      isSkipped: paymentLookups.isSkipped,
      failingSince: paymentLookups.failingSince,
      lastError: paymentLookups.lastError,
    })
    .from(paymentLookups)
    .innerJoin(paymentConnectors, eq(paymentConnectors.key, paymentLookups.connectorKey));
  return rows.map(({ provider, reference, ...lookup }) => ({
    ...lookup,
    reference,
    connectorId: encodeConnectorId({ provider, reference }),
  }));
}
