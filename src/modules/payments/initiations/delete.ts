import { and, eq, isNull, sql } from "drizzle-orm";
import { isAdjustmentOf } from "./adjustment-keys.ts";
import type { Initiation } from "./initiation.ts";
import { retryOnConflict, getInitiation, storedKey } from "./store.ts";
import { paymentInitiationAdjustments, paymentInitiations } from "./tables.ts";
import { encodeOwnedId, type OwnedId } from "#modules/payments/core/ids.ts";
import { decideInitiation } from "#modules/payments/core/initiation-machine.ts";
import { assertNotInReview } from "#modules/payments/lookups/gate.ts";
import { paymentReviews } from "#modules/payments/lookups/tables.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";

/**
 * Deletes an initiation that waits for its approval, with its adjustments and the reviews of it that nobody has decided. Throws `NOT_FOUND`, and `VALIDATION` for an
 * initiation that is not waiting.
 */
export function deleteInitiation(context: ServiceContext, id: OwnedId): Promise<void> {
  return retryOnConflict(async () => {
    const initiation = await getInitiation(context, id);
    await assertNotInReview(context, initiation.key);
    const decision = decideInitiation(initiation.state, { kind: "delete" });
    if (decision.kind === "refused") throw new AppError("VALIDATION", decision.reason);
    const audit = new AuditedChange(context, {
      action: "payments.payment-initiation.delete",
      object: `payment-initiations/${encodeOwnedId(id)}`,
    });
    const deleted = await audit.store(
      deletion(context, initiation),
      orphans(context, initiation),
      deletedReviews(context, initiation),
    );
    if (deleted.length === 0) throw new AppError("VALIDATION", CHANGED);
  });
}

/** Deletes nothing if the initiation has changed since it was read. */
const deletion = ({ env }: ServiceContext, { key, adjustments }: Initiation) =>
  databaseOf(env)
    .delete(paymentInitiations)
    .where(
      and(
        eq(paymentInitiations.key, key),
        eq(paymentInitiations.adjustments, adjustments),
        sql`NOT EXISTS (
          SELECT 1 FROM ${paymentReviews} AS r WHERE r.initiation_key = ${key} AND r.status = 'open')`,
      ),
    )
    .returning({ key: paymentInitiations.key });

const orphans = ({ env }: ServiceContext, initiation: Initiation) =>
  databaseOf(env)
    .delete(paymentInitiationAdjustments)
    .where(and(isAdjustmentOf(initiation.key), sql`${storedKey(initiation)} IS NULL`));

const deletedReviews = ({ env }: ServiceContext, initiation: Initiation) =>
  databaseOf(env)
    .delete(paymentReviews)
    .where(
      and(
        eq(paymentReviews.initiationKey, initiation.key),
        isNull(paymentReviews.decision),
        sql`${storedKey(initiation)} IS NULL`,
      ),
    );

const CHANGED = "cannot delete an already approved payment initiation: validation error";
