import { ACCOUNT_ROWS } from "./accounts/owned-rows.ts";
import { BALANCE_ROWS } from "./balances/owned-rows.ts";
import { BANK_ACCOUNT_ROWS } from "./bank-accounts/owned-rows.ts";
import { BOOKING_ROWS } from "./bookings/owned-rows.ts";
import { CONVERSION_ROWS } from "./conversions/owned-rows.ts";
import { INITIATION_ROWS } from "./initiations/owned-rows.ts";
import { type OwnedRows, PLUGIN_ROWS } from "./installs/owned-rows.ts";
import { JOB_ROWS } from "./jobs/owned-rows.ts";
import { LOOKUP_ROWS } from "./lookups/owned-rows.ts";
import { ORDER_ROWS } from "./orders/owned-rows.ts";
import { PAYMENT_ROWS } from "./payments/owned-rows.ts";
import { POOL_ROWS } from "./pools/owned-rows.ts";
import { REJECTED_ROWS } from "./rejected/owned-rows.ts";
import { SCHEDULE_ROWS } from "./schedules/owned-rows.ts";
import { TASK_ROWS } from "./tasks/owned-rows.ts";
import { USER_ROWS } from "./users/owned-rows.ts";
import { WEBHOOK_ROWS } from "./webhooks/owned-rows.ts";

/**
 * The rows that belong to connectors, in all tables of the module, in the order in which the removal of a connector deletes
 * them.
 */
export const OWNED_ROWS: readonly OwnedRows[] = [
  SCHEDULE_ROWS,
  BOOKING_ROWS,
  ...LOOKUP_ROWS,
  ...INITIATION_ROWS,
  PAYMENT_ROWS,
  BALANCE_ROWS,
  BANK_ACCOUNT_ROWS,
  ...USER_ROWS,
  ORDER_ROWS,
  CONVERSION_ROWS,
  POOL_ROWS,
  REJECTED_ROWS,
  ...WEBHOOK_ROWS,
  JOB_ROWS,
  ACCOUNT_ROWS,
  TASK_ROWS,
  PLUGIN_ROWS,
];
