import { ACCOUNT_SEGMENTS } from "./segments.ts";
import { paymentAccounts } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const ACCOUNT_ROWS: OwnedRows = {
  table: paymentAccounts,
  connectorKey: paymentAccounts.connectorKey,
  segments: ACCOUNT_SEGMENTS,
};
