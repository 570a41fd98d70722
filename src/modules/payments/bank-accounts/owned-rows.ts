import { paymentBankAccountRelations } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const BANK_ACCOUNT_ROWS: OwnedRows = {
  table: paymentBankAccountRelations,
  connectorKey: paymentBankAccountRelations.connectorKey,
};
