import { CONVERSION_SEGMENTS } from "./segments.ts";
import { paymentConversions } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const CONVERSION_ROWS: OwnedRows = {
  table: paymentConversions,
  connectorKey: paymentConversions.connectorKey,
  segments: CONVERSION_SEGMENTS,
};
