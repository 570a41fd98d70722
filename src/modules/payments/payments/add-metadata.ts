import { and, eq, sql } from "drizzle-orm";
import { PAYMENT_BLOOM_INDEX } from "./bloom-index.ts";
import { readMetadata } from "./draft.ts";
import { savedPaymentMetadataEvent } from "./event-types.ts";
import { findPayment, unknownPayment } from "./store.ts";
import { paymentPayments } from "./tables.ts";
import { type ObjectMetadata, toMetadataColumn } from "#modules/payments/common/metadata.ts";
import { metadataTerms } from "#modules/payments/core/bloom/bloom-layout.ts";
import { metadataBloom } from "#modules/payments/core/bloom/metadata-bloom.ts";
import type { PaymentId } from "#modules/payments/core/ids.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { Outbox } from "#platform/events/outbox.ts";
import { newId } from "#platform/ids.ts";

/** How often the change is tried when the metadata is changed meanwhile. */
const ATTEMPTS_MAX = 10;

/** Adds or replaces keys in the metadata of a payment, and publishes the change. Throws `NOT_FOUND`, and `VALIDATION` if the metadata gets too large. */
export async function addPaymentMetadata(
  context: ServiceContext,
  { id, metadata: added }: { readonly id: PaymentId; readonly metadata: ObjectMetadata },
): Promise<void> {
  const db = databaseOf(context.env);
  const [changeId, date] = [newId(), context.clock()];
  const audit = new AuditedChange(context, {
    action: "payments.payment.add-metadata",
    object: `connectors/${id.connector.reference}/payments/${id.type}/${id.reference}`,
  });
  for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
    const row = await findPayment(db, id);
    if (row === undefined) throw unknownPayment();
    const metadata = { ...readMetadata(row.metadata), ...added };
    const column = toMetadataColumn(metadata);
    const update = db
      .update(paymentPayments)
      .set({ metadata: column, metadataBits: metadataBloom(metadata) })
      .where(and(eq(paymentPayments.key, row.key), eq(paymentPayments.metadata, row.metadata)))
      .returning({ key: paymentPayments.key });
    const [updated] = await Outbox.from(context).publish({
      change: [
        update,
        PAYMENT_BLOOM_INDEX.addChanged(db, [{ key: row.key, terms: metadataTerms(added) }]),
      ],
      events: [savedPaymentMetadataEvent(id, added, { changeId, date })],
      // Only the change that was stored is an event.
      condition: sql`EXISTS (SELECT 1 FROM ${paymentPayments}
        WHERE ${paymentPayments.key} = ${row.key} AND ${paymentPayments.metadata} = ${column})`,
      audit,
    });
    if (updated.length > 0) return;
  }
  throw new AppError("OVERLOADED", "the metadata of the payment keeps changing; try again");
}
