import { and, desc, eq, sql } from "drizzle-orm";
import type { PaymentRow } from "./draft.ts";
import { type Payment, type PaymentWithAdjustments, toAdjustment } from "./payment.ts";
import { paymentAdjustments, paymentPayments } from "./tables.ts";
import type { PaymentId } from "#modules/payments/core/ids.ts";
import { connectorKeySql } from "#modules/payments/installs/filters.ts";
import { type Database } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";

/** The row of the payment with an id. */
export async function findPayment(
  db: Database,
  { connector, reference, type }: PaymentId,
): Promise<PaymentRow | undefined> {
  const [row] = await db
    .select()
    .from(paymentPayments)
    .where(
      and(
        eq(paymentPayments.reference, reference),
        eq(paymentPayments.connectorKey, connectorKeySql(connector)),
        eq(paymentPayments.type, type),
      ),
    );
  return row;
}

export const unknownPayment = (): AppError =>
  new AppError("NOT_FOUND", "cannot get payment: not found");

/** Payments with all their adjustments, newest first. */
export async function withAdjustments(
  db: Database,
  payments: readonly Payment[],
): Promise<PaymentWithAdjustments[]> {
  if (payments.length === 0) return [];
  const keys = stringifyJson(payments.map(({ key }) => key));
  const rows = await db
    .select()
    .from(paymentAdjustments)
    .where(sql`${paymentAdjustments.paymentKey} IN (SELECT value FROM json_each(${keys}))`)
    .orderBy(desc(paymentAdjustments.createdAt), desc(paymentAdjustments.ordinal));
  const byPayment = Map.groupBy(rows, ({ paymentKey }) => paymentKey);
  return payments.map((payment) => ({
    ...payment,
    adjustments: (byPayment.get(payment.key) ?? []).map(toAdjustment),
  }));
}
