import { paymentRejectedItems } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const REJECTED_ROWS: OwnedRows = {
  table: paymentRejectedItems,
  connectorKey: paymentRejectedItems.connectorKey,
};
