import { type PaymentWithAdjustments, toPayments } from "./payment.ts";
import { findPayment, unknownPayment, withAdjustments } from "./store.ts";
import type { PaymentId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/** The payment with an id. Throws `NOT_FOUND`. */
export async function getPayment(
  context: Pick<ServiceContext, "env">,
  id: PaymentId,
): Promise<PaymentWithAdjustments> {
  const db = databaseOf(context.env);
  const row = await findPayment(db, id);
  const directory = await ConnectorDirectory.read(context);
  const payments = toPayments(row === undefined ? [] : [row], directory);
  const [payment] = await withAdjustments(db, payments);
  if (payment === undefined) throw unknownPayment();
  return payment;
}
