import { ORDER_BLOOM_INDEX } from "./bloom-index.ts";
import { paymentOrderAdjustments, paymentOrders } from "./tables.ts";
import { childRows, type OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const ORDER_ROWS: OwnedRows = {
  table: paymentOrders,
  connectorKey: paymentOrders.connectorKey,
  children: [childRows(paymentOrderAdjustments, paymentOrderAdjustments.orderKey)],
  blocks: ORDER_BLOOM_INDEX,
};
