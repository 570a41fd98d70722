import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Initiation } from "./initiation.ts";
import { storedKey } from "./store.ts";
import { paymentMovements } from "./tables.ts";
import type { TransitionKey } from "./transition.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { movementSignature } from "#modules/payments/core/movement-signature.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { isHeld } from "#modules/payments/schedules/hold.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/**
 * Money on its way. A row says what is left to do, and by when it must have moved. It is stored together with the approval, and
 * goes together with the outcome:
 *
 * | A kill after | leaves | and then |
 * | --- | --- | --- |
 * | the approval is stored | a row that is due | the sweep wakes the object of the connector, which takes it |
 * | the row is claimed | a row that is due a minute later | the object's alarm, or the sweep, has it taken then |
 * | the provider has got the request | the same | the request is sent again with the same reference, which moves the money once |
 * | the provider has answered | the same | the same; the answer is that of the first request |
 * | a page or a webhook has brought the payment | the payment, and a row that names it | whoever takes the row stores the outcome, and asks nobody; see `shown.ts` |
 * | the outcome is stored | the payment, the adjustments, the ended task, and no row | nothing is left to do |
 *
 * Two who work on one row, because the first one took longer than a minute, send the same reference, and only one of them can store
 * the outcome: both add an adjustment with the same key.
 */
export type MovementRow = typeof paymentMovements.$inferSelect;

/** How long somebody who has claimed a row has for it: longer than a request to a provider may take. */
const CLAIM_MS = 60_000;

/** How long to wait after calls without an outcome. */
const RETRY_BACKOFF = doubling(1000, 100_000);

export interface NewMovement extends TransitionKey {
  readonly initiation: Initiation;
  readonly task: string;
  readonly dueAt: Timestamp;
  /** The key of the reversal, where it is one. */
  readonly reversalKey?: TransitionKey["key"];
  /** The reference of the reversal, where it is one. */
  readonly reversal?: string;
}

/** The statement that stores what is to be moved. It fails while something else of the initiation is on its way. */
export const insertMovement = (
  { env }: Pick<ServiceContext, "env">,
  { initiation, key = storedKey(initiation), task, dueAt, reversalKey, reversal }: NewMovement,
) =>
  databaseOf(env)
    .insert(paymentMovements)
    .values({
      connectorKey: installedKey({ key: initiation.connectorKey }),
      initiationKey: key,
      reversalKey: reversalKey ?? null,
      task,
      mark: markOf(initiation.id.connector, reversal ?? initiation.id.reference),
      signature: reversal === undefined ? signatureOf(initiation) : "",
      dueAt,
      claims: 0,
      failures: 0,
    });

/** A reference as the provider of a connector shows it on what it has made. */
const markOf = ({ provider }: ConnectorId, reference: string): string =>
  kindOf(provider)?.shownReferenceOf?.(reference) ?? reference;

const signatureOf = ({ type, asset, state, source, destination }: Initiation): string =>
  movementSignature({
    type,
    asset,
    amount: state.amount,
    source: source?.reference,
    destination: destination?.reference,
  });

/** The statement that ends it, for the batch that stores its outcome. */
export const deleteMovement = ({ env }: Pick<ServiceContext, "env">, { key }: MovementRow) =>
  databaseOf(env).delete(paymentMovements).where(eq(paymentMovements.key, key));

/** The key of the connector whose object has that name. */
const keyOf = (reference: string): SQL => sql`(
  SELECT c.key FROM ${paymentConnectors} AS c WHERE c.reference = ${reference})`;

/** Claims movements of a connector that are due, first the one that was due first. Nobody else gets them for a minute. */
export async function claimMovements(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { reference, limit }: { readonly reference: string; readonly limit: number },
): Promise<MovementRow[]> {
  const now = clock();
  return databaseOf(env)
    .update(paymentMovements)
    .set({
      dueAt: fromMillis(toMillis(now) + CLAIM_MS),
      claims: sql`claims + 1`,
      sentAt: sql`coalesce(sent_at, ${now})`,
    })
    .where(
      sql`${paymentMovements.key} IN (
        SELECT m.key FROM ${paymentMovements} AS m
        WHERE m.connector_key = ${keyOf(reference)} AND m.due_at <= ${now} AND ${isFree(sql`m.connector_key`, now)}
        ORDER BY m.due_at LIMIT ${limit})`,
    )
    .returning();
}

/** When the next movement of a connector is due, in milliseconds since the epoch. */
export async function nextMovementMs(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  reference: string,
): Promise<number | undefined> {
  const [row] = await databaseOf(env).all<{ due: Timestamp }>(sql`
    SELECT CASE WHEN ${isHeld(clock())} THEN max(c.held_until, m.due_at) ELSE m.due_at END AS due
    FROM ${paymentConnectors} AS c JOIN ${paymentMovements} AS m ON m.connector_key = c.key
    WHERE c.key = ${keyOf(reference)} ORDER BY m.due_at LIMIT 1`);
  return row === undefined ? undefined : toMillis(row.due);
}

/** The connectors that have a movement which was due before a time, so that nobody has taken it. */
export async function connectorsOverdue(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { before, limit }: { readonly before: Timestamp; readonly limit: number },
): Promise<string[]> {
  const rows = await databaseOf(env).all<{ reference: string }>(sql`
    SELECT DISTINCT c.reference FROM ${paymentMovements} AS m
    JOIN ${paymentConnectors} AS c ON c.key = m.connector_key
    WHERE m.due_at <= ${before} AND ${isFree(sql`m.connector_key`, clock())} LIMIT ${limit}`);
  return rows.map(({ reference }) => reference);
}

/** Whether the provider of a connector takes requests. */
const isFree = (connectorKey: SQLWrapper, now: Timestamp): SQL => sql`NOT EXISTS (
  SELECT 1 FROM ${paymentConnectors} AS c WHERE c.key = ${connectorKey} AND ${isHeld(now)})`;

/** When a movement is due that was just tried, without an outcome for the time of that number in a row. */
export const retryAt = (now: Timestamp, failures: number, leastMs = 0): Timestamp =>
  fromMillis(toMillis(now) + Math.max(waitAfterFailures(RETRY_BACKOFF, failures), leastMs));

/** Whether nobody else has claimed a movement since. */
export const isClaimed = ({ key, claims }: MovementRow): SQL =>
  sql`${paymentMovements.key} = ${key} AND ${paymentMovements.claims} = ${claims}`;

/** What a connector asks for under an id; undefined where there is no such movement, or it has ended. */
export async function findMovementByPollingId(
  { env }: Pick<ServiceContext, "env">,
  {
    connector,
    pollingId,
  }: { readonly connector: { readonly key: number }; readonly pollingId: string },
): Promise<MovementRow | undefined> {
  const [movement] = await databaseOf(env)
    .select()
    .from(paymentMovements)
    .where(
      and(
        eq(paymentMovements.connectorKey, connector.key),
        eq(paymentMovements.pollingId, pollingId),
      ),
    );
  return movement;
}

/** When the next one of all connectors is due, in milliseconds since the epoch. */
export async function nextOfAllMs({
  env,
  clock,
}: Pick<ServiceContext, "env" | "clock">): Promise<number | undefined> {
  const now = clock();
  const [row] = await databaseOf(env).all<{ due: Timestamp | null }>(sql`
    SELECT min(due) AS due FROM (
      SELECT min(m.due_at) AS due FROM ${paymentMovements} AS m
      WHERE ${isFree(sql`m.connector_key`, now)}
      UNION ALL
      SELECT max(c.held_until, min(m.due_at)) AS due FROM ${paymentConnectors} AS c
      JOIN ${paymentMovements} AS m ON m.connector_key = c.key WHERE ${isHeld(now)} GROUP BY c.key)`);
  return row === undefined || row.due === null ? undefined : toMillis(row.due);
}
