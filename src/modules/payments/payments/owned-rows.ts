import { PAYMENT_BLOOM_INDEX } from "./bloom-index.ts";
import { paymentAdjustments, paymentPayments } from "./tables.ts";
import { childRows, type OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const PAYMENT_ROWS: OwnedRows = {
  table: paymentPayments,
  connectorKey: paymentPayments.connectorKey,
  children: [childRows(paymentAdjustments, paymentAdjustments.paymentKey)],
  blocks: PAYMENT_BLOOM_INDEX,
};
