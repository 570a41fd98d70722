import { paymentPoolAccounts } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const POOL_ROWS: OwnedRows = {
  table: paymentPoolAccounts,
  connectorKey: paymentPoolAccounts.connectorKey,
};
