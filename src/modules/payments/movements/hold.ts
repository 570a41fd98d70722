import { eq, type SQL } from "drizzle-orm";
import { UNTIL_DECIDED } from "#modules/payments/initiations/movement-rows.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import { insertReview, type NewReview } from "#modules/payments/lookups/review-rows.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** A review of an initiation that is stored. */
export interface HeldOrder extends NewReview {
  readonly initiationKey: number;
}

/**
 * Stores the review of an order, and holds its movement, if there is one, until a person decides: in one batch, so that no crash lets it be
 * sent. `noted` may change what the movement knows of the provider: a payment that shows its reference, and the id that is polled.
 */
export async function holdMovements(
  context: Pick<ServiceContext, "env" | "clock">,
  review: HeldOrder,
  noted: { readonly shown?: SQL; readonly pollingId?: null } = {},
): Promise<void> {
  const db = databaseOf(context.env);
  await db.batch([
    insertReview(context, review),
    db
      .update(paymentMovements)
      .set({ ...noted, dueAt: UNTIL_DECIDED })
      .where(eq(paymentMovements.initiationKey, review.initiationKey)),
  ]);
}
