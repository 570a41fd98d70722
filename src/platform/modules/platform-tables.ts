import * as arming from "#platform/arming/tables.ts";
import * as audit from "#platform/audit/tables.ts";
import * as reserve from "#platform/db/tables.ts";
import * as deadLetters from "#platform/dead-letters/tables.ts";
import * as events from "#platform/events/tables.ts";
import * as failedRequests from "#platform/failed-requests/tables.ts";
import * as restoration from "#platform/restoration/tables.ts";
import * as status from "#platform/status/tables.ts";
import * as sizes from "#platform/storage/tables.ts";
import * as upgrade from "#platform/upgrade/tables.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/** The tables that belong to no module, because all modules use them. */
export const PLATFORM_TABLES = tablesIn(
  arming,
  audit,
  deadLetters,
  events,
  failedRequests,
  reserve,
  restoration,
  sizes,
  status,
  upgrade,
);
