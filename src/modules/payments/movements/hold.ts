import { eq, type SQL, sql } from "drizzle-orm";
import { UNTIL_DECIDED } from "#modules/payments/initiations/movement-rows.ts";
import { paymentInitiations, paymentMovements } from "#modules/payments/initiations/tables.ts";
import { insertReview, type NewReview } from "#modules/payments/lookups/review-rows.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** A review of an initiation that is stored. */
export interface HeldOrder extends NewReview {
  readonly initiationKey: number;
  /** The key of the movement that is held; null for an initiation that waits for its approval or has failed. */
  readonly movementKey: number | null;
}

/**
 * Stores the review of an order, and holds its movement, if there is one, until a person decides: in one batch, so that no crash lets it be
 * sent. Nothing is stored for an order that has been settled since it was read. `noted` may change what the movement knows of the provider: a payment that shows its reference, and the id that is polled.
 */
export async function holdMovements(
  context: Pick<ServiceContext, "env" | "clock">,
  { movementKey, ...review }: HeldOrder,
  noted: { readonly shown?: SQL; readonly pollingId?: null } = {},
): Promise<void> {
  const db = databaseOf(context.env);
  if (movementKey === null) {
    await insertReview(context, review, isUnsent(review));
    return;
  }
  await db.batch([
    insertReview(context, review, isOnItsWay(movementKey)),
    // A later movement of the initiation, such as its reversal, is not the one that was read: held without a review, it would wait for ever.
    db
      .update(paymentMovements)
      .set({ ...noted, dueAt: UNTIL_DECIDED })
      .where(eq(paymentMovements.key, movementKey)),
  ]);
}

/** The condition that the movement of an order has no outcome yet. */
const isOnItsWay = (movementKey: number): SQL => sql`EXISTS (
  SELECT 1 FROM ${paymentMovements} AS m WHERE m.key = ${movementKey})`;

/** The condition that an initiation still waits for its approval, or has failed. */
const isUnsent = ({ initiationKey }: Pick<HeldOrder, "initiationKey">): SQL => sql`EXISTS (
  SELECT 1 FROM ${paymentInitiations} AS i
  WHERE i.key = ${initiationKey} AND i.status IN ('WAITING_FOR_VALIDATION', 'FAILED'))`;
