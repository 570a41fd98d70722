import { paymentFetches, paymentInstances, paymentSchedules } from "./tables.ts";
import { childRows, type OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const SCHEDULE_ROWS: OwnedRows = {
  table: paymentSchedules,
  connectorKey: paymentSchedules.connectorKey,
  children: [
    childRows(paymentFetches, paymentFetches.scheduleKey),
    childRows(paymentInstances, paymentInstances.scheduleKey),
  ],
};
