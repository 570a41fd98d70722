import { ACCOUNT_BLOOM_INDEX } from "./bloom-index.ts";
import { paymentAccounts } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const ACCOUNT_ROWS: OwnedRows = {
  table: paymentAccounts,
  connectorKey: paymentAccounts.connectorKey,
  blocks: ACCOUNT_BLOOM_INDEX,
};
