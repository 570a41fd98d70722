import { sql } from "drizzle-orm";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { HeldError } from "#platform/arming/arming-watch.ts";
import { assertArmed } from "#platform/arming/held-work.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { formatTimestamp, type Timestamp } from "#platform/time.ts";

/** Time after which a refused client may try again, in seconds: a look-up takes some minutes. */
const RETRY_AFTER_SECONDS = 30;

/** Money that a request would set in motion. */
export interface Motion {
  readonly connector: Pick<ConnectorId, "reference">;
  /** The key of the initiation; absent for one that is not stored yet. */
  readonly initiationKey?: number;
}

/**
 * Throws `DISARMED` while a connector is disarmed, or looks up what the original of a restored deployment has paid, and `VALIDATION` for an
 * initiation that a person has to review first. Use cases that set money in motion call it before they store anything.
 */
export async function assertMayMove(
  context: Pick<ServiceContext, "env">,
  { connector: { reference }, initiationKey = 0 }: Motion,
): Promise<void> {
  await assertArmed(context, reference);
  const [row] = await databaseOf(context.env).all<{
    looking: Timestamp | null;
    review: string | null;
  }>(sql`
    SELECT (
        SELECT l.began_at FROM payment_lookups AS l JOIN payment_connectors AS c ON c.key = l.connector_key
        WHERE c.reference = ${reference} AND l.ended_at IS NULL) AS looking,
      (SELECT id FROM payment_reviews WHERE initiation_key = ${initiationKey} AND status = 'open') AS review`);
  if (typeof row?.looking === "string") throw looksUp(row.looking);
  if (typeof row?.review === "string") throw needsReview(row.review);
}

/** Throws `VALIDATION` for an initiation that a person has to review first. */
export async function assertNotInReview(
  { env }: Pick<ServiceContext, "env">,
  initiationKey: number,
): Promise<void> {
  const [row] = await databaseOf(env).all<{ id: string }>(sql`
    SELECT id FROM payment_reviews WHERE initiation_key = ${initiationKey} AND status = 'open'`);
  if (row !== undefined) throw needsReview(row.id);
}

const looksUp = (since: Timestamp): HeldError =>
  new HeldError(
    "DISARMED",
    `since ${formatTimestamp(since)}, the connector looks up at its provider what the original of this restored deployment has paid; no money moves before it has ended`,
    { retryAfterSeconds: RETRY_AFTER_SECONDS },
  );

/** The error for an order under review. */
export const needsReview = (id: string): AppError =>
  new AppError(
    "VALIDATION",
    `the original of this restored deployment may have paid the payment initiation, and its provider cannot be asked: a person decides about the review ${id} first (npm run florin -- reviews show ${id})`,
  );
