import { paymentJobs } from "./tables.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";

export const JOB_ROWS: OwnedRows = { table: paymentJobs, connectorKey: paymentJobs.connectorKey };
