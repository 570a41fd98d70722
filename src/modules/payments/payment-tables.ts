import * as accounts from "./accounts/tables.ts";
import * as balances from "./balances/tables.ts";
import * as bankAccounts from "./bank-accounts/tables.ts";
import * as bookings from "./bookings/tables.ts";
import * as conversions from "./conversions/tables.ts";
import * as initiations from "./initiations/tables.ts";
import * as installs from "./installs/tables.ts";
import * as jobs from "./jobs/tables.ts";
import * as lookups from "./lookups/tables.ts";
import * as orders from "./orders/tables.ts";
import * as payments from "./payments/tables.ts";
import * as pools from "./pools/tables.ts";
import * as rejected from "./rejected/tables.ts";
import * as polling from "./schedules/tables.ts";
import * as tasks from "./tasks/tables.ts";
import * as users from "./users/tables.ts";
import * as webhooks from "./webhooks/tables.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

export const PAYMENT_TABLES = tablesIn(
  accounts,
  balances,
  bankAccounts,
  bookings,
  conversions,
  initiations,
  installs,
  jobs,
  lookups,
  orders,
  payments,
  polling,
  pools,
  rejected,
  tasks,
  users,
  webhooks,
);
