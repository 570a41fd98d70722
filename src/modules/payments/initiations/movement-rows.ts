import { and, eq, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Initiation } from "./initiation.ts";
import { storedKey } from "./store.ts";
import { paymentMovements } from "./tables.ts";
import type { TransitionKey } from "./transition.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { FAILED_PAYMENT_STATUSES } from "#modules/payments/core/enums.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { movementSignature } from "#modules/payments/core/movement-signature.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { isLooking, isOfCopy } from "#modules/payments/lookups/lookup-rows.ts";
import { isUnderReview } from "#modules/payments/lookups/review-rows.ts";
import { paymentShownMarks } from "#modules/payments/lookups/tables.ts";
import { isOnHold } from "#modules/payments/schedules/hold.ts";
import { isArmedInSql } from "#platform/arming/held-work.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/**
 * A movement of money that is not complete. Its row says the next step and its time. It is inserted with the approval and
 * deleted with the outcome, so a crash loses nothing:
 *
 * | A crash after | leaves | and then |
 * | --- | --- | --- |
 * | the approval is stored | a row that is due | the sweep wakes the object of the connector, which claims the row |
 * | the row is claimed | a row that is due a minute later | the object's alarm, or the sweep, has it claimed again |
 * | the provider has got the request | a row that is due a minute later | the request is sent again with the same reference, which moves the money once |
 * | the provider has answered | a row that is due a minute later | the request is sent again, and gets the first answer |
 * | a page or a webhook has brought the payment | the payment, and a row that names it | the next claim stores the outcome without a call; see `payments/ingestion/shown-movements.ts` |
 * | the outcome is stored | the payment, the adjustments, the ended task, and no row | nothing is left to do |
 *
 * In a restored copy, rows of a connector are claimed after its look-up (`lookups/lookup-rows.ts`), and those under review (`lookups/review-rows.ts`) after a decision.
 *
 * If a step takes longer than a minute, a second one may run for the same row. Both send the same reference, and only one
 * of them can store the outcome, because both insert an adjustment with the same key.
 */
export type MovementRow = typeof paymentMovements.$inferSelect;

/** How long a claim lasts, in milliseconds: longer than a request to a provider may take. */
export const CLAIM_MS = 60_000;

/** When a movement is due that waits for the decision of a person: never. */
export const UNTIL_DECIDED = "9999-12-31T00:00:00.000000Z" as Timestamp;

/** The condition that a movement `m` waits for no decision of a person. */
const MAY_MOVE = sql`(m.due_at < ${UNTIL_DECIDED} AND NOT ${isUnderReview(sql`m.initiation_key`)})`;

/** Waits after calls without an outcome, in milliseconds. */
const RETRY_BACKOFF = doubling(1000, 100_000);

export interface NewMovement extends TransitionKey {
  readonly initiation: Initiation;
  readonly task: string;
  readonly dueAt: Timestamp;
  /** The key of the reversal; absent for the movement of the initiation itself. */
  readonly reversalKey?: TransitionKey["key"];
  /** The reference of the reversal; absent for the movement of the initiation itself. */
  readonly reversal?: string;
}

/**
 * The statement that inserts a movement. It fails while another movement of the initiation is under way. In a restored copy, the movement notes
 * a payment of its reference that the original has made: one that the initiation does not have already, and that has not failed alone.
 */
export const insertMovement = (
  { env }: Pick<ServiceContext, "env">,
  { initiation, key = storedKey(initiation), task, dueAt, reversalKey, reversal }: NewMovement,
) => {
  const mark = markOf(initiation.id.connector, reversal ?? initiation.id.reference);
  return databaseOf(env)
    .insert(paymentMovements)
    .values({
      connectorKey: installedKey({ key: initiation.connectorKey }),
      initiationKey: key,
      reversalKey: reversalKey ?? null,
      task,
      mark,
      signature: reversal === undefined ? signatureOf(initiation) : "",
      shown: sql`(
        SELECT s.shown FROM ${paymentShownMarks} AS s
        WHERE s.connector_key = ${initiation.connectorKey} AND s.mark = ${mark}
          AND ${isOfCopy(sql`s.connector_key`)} AND ${isNews(key, reversal !== undefined)})`,
      dueAt,
      claims: 0,
      failures: 0,
    });
};

/** The condition that a shown payment `s` says something about a movement of an initiation that its earlier attempts have not said. */
const isNews = (initiationKey: SQLWrapper | number, isReversal: boolean): SQL =>
  isReversal
    ? sql`TRUE`
    : sql`(s.shown ->> '$.isAmbiguous' OR s.shown ->> '$.state.status' NOT IN (
        SELECT value FROM json_each(${stringifyJson(FAILED_PAYMENT_STATUSES)})))
      AND NOT EXISTS (
        SELECT 1 FROM payment_payments AS p
        JOIN payment_initiation_payments AS o ON o.payment_key = p.key
        WHERE p.reference = s.shown ->> '$.reference' AND p.connector_key = s.connector_key
          AND p.type = s.shown ->> '$.type' AND o.initiation_key = ${initiationKey})`;

/** A reference in the form in which the connector's provider shows it on payments. */
export const markOf = ({ provider }: ConnectorId, reference: string): string =>
  kindOf(provider)?.shownReferenceOf?.(reference) ?? reference;

const signatureOf = ({ type, asset, state, source, destination }: Initiation): string =>
  movementSignature({
    type,
    asset,
    amount: state.amount,
    source: source?.reference,
    destination: destination?.reference,
  });

/** The statement that deletes a movement, for the batch that stores its outcome. */
export const deleteMovement = ({ env }: Pick<ServiceContext, "env">, { key }: MovementRow) =>
  databaseOf(env).delete(paymentMovements).where(eq(paymentMovements.key, key));

/** The key of the connector with a reference, in SQL. */
const keyOf = (reference: string): SQL => sql`(
  SELECT c.key FROM ${paymentConnectors} AS c WHERE c.reference = ${reference})`;

/**
 * Claims due movements of a connector, those that have been due for longest first. No other call gets them for `CLAIM_MS`. A disarmed
 * connector, and one that looks up what the original of a restored deployment has paid, has none: the statement itself asks.
 */
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
        WHERE m.connector_key = ${keyOf(reference)} AND m.due_at <= ${now} AND ${isFree(sql`m.connector_key`, now)} AND ${MAY_MOVE}
          AND ${isArmedInSql(env, sql`${reference}`)} AND NOT ${isLooking(sql`m.connector_key`)}
        ORDER BY m.due_at LIMIT ${limit})`,
    )
    .returning();
}

/** The time of a connector's next movement, in milliseconds since the epoch; undefined without movements that may be claimed. */
export async function nextMovementMs(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  reference: string,
): Promise<number | undefined> {
  const [row] = await databaseOf(env).all<{ due: Timestamp }>(sql`
    SELECT CASE WHEN ${isOnHold(clock())} THEN max(c.held_until, m.due_at) ELSE m.due_at END AS due
    FROM ${paymentConnectors} AS c JOIN ${paymentMovements} AS m ON m.connector_key = c.key
    WHERE c.key = ${keyOf(reference)} AND ${MAY_MOVE} AND NOT ${isLooking(sql`c.key`)}
    ORDER BY m.due_at LIMIT 1`);
  return row === undefined ? undefined : toMillis(row.due);
}

/**
 * The references of armed connectors with movements that were due before a time and that nobody has claimed, those that are late for longest
 * first.
 */
export async function connectorsOverdue(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { before, limit }: { readonly before: Timestamp; readonly limit: number },
): Promise<string[]> {
  const rows = await databaseOf(env).all<{ reference: string }>(sql`
    SELECT c.reference FROM ${paymentMovements} AS m
    JOIN ${paymentConnectors} AS c ON c.key = m.connector_key
    WHERE m.due_at <= ${before} AND ${isFree(sql`m.connector_key`, clock())} AND ${MAY_MOVE}
      AND ${isArmedInSql(env, sql`c.reference`)} AND NOT ${isLooking(sql`c.key`)}
    GROUP BY c.key ORDER BY min(m.due_at) LIMIT ${limit}`);
  return rows.map(({ reference }) => reference);
}

/** The condition that no pause of the connector's provider lasts. */
const isFree = (connectorKey: SQLWrapper, now: Timestamp): SQL => sql`NOT EXISTS (
  SELECT 1 FROM ${paymentConnectors} AS c WHERE c.key = ${connectorKey} AND ${isOnHold(now)})`;

/** The time of the next attempt after `failures` attempts in a row without an outcome, at least `leastMs` later. */
export const retryAt = (now: Timestamp, failures: number, leastMs = 0): Timestamp =>
  fromMillis(toMillis(now) + Math.max(waitAfterFailures(RETRY_BACKOFF, failures), leastMs));

/** The condition that a movement has not been claimed again. */
export const isClaimed = ({ key, claims }: MovementRow): SQL =>
  sql`${paymentMovements.key} = ${key} AND ${paymentMovements.claims} = ${claims}`;

/**
 * The condition that a movement may be withdrawn: no call was made for it, none can begin before its connector is armed, and no payment may
 * be its own.
 */
const isWithdrawable = (env: Env, key: SQL, reference: string): SQL => sql`(
  EXISTS (
    SELECT 1 FROM ${paymentMovements} AS m WHERE m.key = ${key} AND m.claims = 0 AND m.shown IS NULL)
  AND NOT ${isArmedInSql(env, sql`${reference}`)})`;

/** A movement that may be withdrawn, and the condition that this still holds. */
export interface Withdrawable {
  readonly movement: MovementRow;
  readonly condition: SQL;
}

/** The movement that makes an initiation, if it may be withdrawn now. */
export async function findWithdrawable(
  { env }: Pick<ServiceContext, "env">,
  { key, id }: Pick<Initiation, "key" | "id">,
): Promise<Withdrawable | undefined> {
  const { reference } = id.connector;
  const [movement] = await databaseOf(env)
    .select()
    .from(paymentMovements)
    .where(
      sql`${paymentMovements.initiationKey} = ${key} AND ${paymentMovements.reversalKey} IS NULL
        AND ${isWithdrawable(env, sql`payment_movements.key`, reference)}`,
    );
  if (movement === undefined) return undefined;
  return { movement, condition: isWithdrawable(env, sql`${movement.key}`, reference) };
}

/** The movement that the provider knows by a polling id; undefined if there is none or if it has ended. */
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

/** The time of the next movement of all connectors, in milliseconds since the epoch; undefined without movements that may be claimed. */
export async function nextOfAllMs({
  env,
  clock,
}: Pick<ServiceContext, "env" | "clock">): Promise<number | undefined> {
  const now = clock();
  const [row] = await databaseOf(env).all<{ due: Timestamp | null }>(sql`
    SELECT min(due) AS due FROM (
      SELECT min(m.due_at) AS due FROM ${paymentMovements} AS m
      WHERE ${MAY_MOVE} AND ${isFree(sql`m.connector_key`, now)}
        AND NOT ${isLooking(sql`m.connector_key`)}
      UNION ALL
      SELECT max(c.held_until, min(m.due_at)) AS due FROM ${paymentConnectors} AS c
      JOIN ${paymentMovements} AS m ON m.connector_key = c.key
      WHERE ${isOnHold(now)} AND ${MAY_MOVE} AND NOT ${isLooking(sql`c.key`)}
      GROUP BY c.key)`);
  return row === undefined || row.due === null ? undefined : toMillis(row.due);
}
