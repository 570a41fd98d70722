import { CONFIRMATIONS } from "./confirmations.ts";
import { paymentBalances } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const BALANCE_ROWS: OwnedRows = {
  table: paymentBalances,
  connectorKey: paymentBalances.connectorKey,
  blocks: CONFIRMATIONS,
};
