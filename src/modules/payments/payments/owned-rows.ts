import { PAYMENT_SEGMENTS } from "./segments.ts";
import { paymentAdjustments, paymentPayments } from "./tables.ts";
import { childRows, type OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const PAYMENT_ROWS: OwnedRows = {
  table: paymentPayments,
  connectorKey: paymentPayments.connectorKey,
  children: [childRows(paymentAdjustments, paymentAdjustments.paymentKey)],
  segments: PAYMENT_SEGMENTS,
};
