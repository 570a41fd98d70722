import { CONVERSION_BLOOM_INDEX } from "./bloom-index.ts";
import { paymentConversions } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const CONVERSION_ROWS: OwnedRows = {
  table: paymentConversions,
  connectorKey: paymentConversions.connectorKey,
  blocks: CONVERSION_BLOOM_INDEX,
};
