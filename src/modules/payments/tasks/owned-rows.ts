import { paymentTasks } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const TASK_ROWS: OwnedRows = {
  table: paymentTasks,
  connectorKey: paymentTasks.connectorKey,
};
