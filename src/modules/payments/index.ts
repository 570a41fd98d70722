import { OpenAPIHono } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { ACCOUNT_EVENT_TYPES } from "./accounts/event-types.ts";
import { listAccounts } from "./accounts/list.ts";
import { BALANCE_EVENT_TYPES } from "./balances/event-types.ts";
import { BANK_ACCOUNT_EVENT_TYPES } from "./bank-accounts/event-types.ts";
import {
  BOOKINGS_SWEEP,
  CONNECTORS_SWEEP,
  INITIATIONS_SWEEP,
  JOBS_SWEEP,
} from "./common/sweep-names.ts";
import { CONVERSION_EVENT_TYPES } from "./conversions/event-types.ts";
import { PAYMENT_ERRORS } from "./errors.ts";
import { HEALTH_EVENT_TYPES } from "./health/event-types.ts";
import { registerConnectorHealth } from "./http/connector-health.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerBookings } from "./http/florin/bookings.ts";
import { registerRejectedItems } from "./http/florin/rejected-items.ts";
import { registerReviews } from "./http/florin/reviews.ts";
import { PAYMENT_RESOURCES } from "./http/resources.ts";
import { API_VERSION, registerServer } from "./http/server.ts";
import { registerMetadata, registerPoolOperations } from "./http/shared/operations.ts";
import { registerAccountsV1 } from "./http/v1/accounts.ts";
import { registerBankAccountsV1 } from "./http/v1/bank-accounts.ts";
import { registerConnectorTasksV1 } from "./http/v1/connector-tasks.ts";
import { registerConnectorsV1 } from "./http/v1/connectors.ts";
import { registerPaymentsV1 } from "./http/v1/payments.ts";
import { registerPoolsV1 } from "./http/v1/pools.ts";
import { readPaymentV1 } from "./http/v1/read-payment.ts";
import { registerTransferInitiations } from "./http/v1/transfer-initiations.ts";
import { registerUnservedV1 } from "./http/v1/unserved.ts";
import { registerAccounts } from "./http/v3/accounts.ts";
import { registerBankAccounts } from "./http/v3/bank-accounts.ts";
import { registerConnectors } from "./http/v3/connectors.ts";
import { registerConversions } from "./http/v3/conversions.ts";
import { registerInitiationActions } from "./http/v3/initiation-actions.ts";
import { registerInitiations } from "./http/v3/initiations.ts";
import { registerOrders } from "./http/v3/orders.ts";
import { registerPayments } from "./http/v3/payments.ts";
import { registerPools } from "./http/v3/pools.ts";
import { registerSchedules } from "./http/v3/schedules.ts";
import { registerTasks } from "./http/v3/tasks.ts";
import { registerOpenBanking } from "./http/v3/users/open-banking.ts";
import { registerUserConnections } from "./http/v3/users/user-connections.ts";
import { registerUserLinks } from "./http/v3/users/user-links.ts";
import { registerUserTasks } from "./http/v3/users/user-tasks.ts";
import { registerUsers } from "./http/v3/users/users.ts";
import { registerWebhookReception } from "./http/webhooks.ts";
import { INITIATION_EVENT_TYPES } from "./initiations/event-types.ts";
import { CONNECTOR_EVENT_TYPES } from "./installs/event-types.ts";
import { sweepJobs } from "./job-runner/run.ts";
import { bookingListener } from "./mirror/event-listener.ts";
import { readMoneyMoves } from "./mirror/money-moves.ts";
import { runBookings } from "./mirror/run.ts";
import { sweepInitiations } from "./movements/sweep.ts";
import { ORDER_EVENT_TYPES } from "./orders/event-types.ts";
import { OWNED_ROWS } from "./owned-rows.ts";
import { PAYMENT_TABLES } from "./payment-tables.ts";
import { PAYMENT_EVENT_TYPES } from "./payments/event-types.ts";
import { listPayments } from "./payments/list.ts";
import { ConnectorClock } from "./polling/connector-clock.ts";
import { sweepConnectors } from "./polling/sweep.ts";
import { lastKnownPoolBalances, poolBalances } from "./pools/balances.ts";
import { POOL_EVENT_TYPES } from "./pools/event-types.ts";
import { paymentSettings } from "./settings.ts";
import { PAYMENTS_STATUS } from "./status.ts";
import { TASK_EVENT_TYPES } from "./tasks/event-types.ts";
import { checkTransfer } from "./transfers/check.ts";
import { requestTransfer } from "./transfers/request.ts";
import { USER_EVENT_TYPES } from "./users/event-types.ts";
import { databaseOf } from "#platform/db/database.ts";
import { honourLedgers } from "#platform/http/access.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";

/** The Durable Object of an installation. */
export class ConnectorObject extends ConnectorClock {
  protected override readonly ownedRows = OWNED_ROWS;
}

/**
 * Payments: accounts, balances and payments that providers report, and money that is moved through them. Each entity has a
 * folder with a file for each use case; `connectors` has a folder for each kind of provider. The folders stand on floors,
 * from the API down to folders that know no other one. A folder imports only from floors below it
 * (`scripts/lib/rooms/room-table.ts`):
 *
 *     http           v3, v1, florin: two versions of the API and Florin's own, over the same use cases
 *     engine         job-runner
 *                    polling: pages of providers     deliveries: their webhooks     transfers: payouts of workflows
 *                    looking: what a restored copy asks its providers before it pays
 *                    movements: money on its way
 *                    mirror: payments in a ledger     users
 *     entities       bank-accounts  health  payments
 *                    initiations  jobs  lifecycle  pools  rejected
 *                    lookups: what a restored copy has to ask
 *                    accounts  balances  bookings  conversions  orders  schedules  tasks  webhooks
 *                    ingestion: the frame in which data of providers become rows and events
 *                    installs: the connectors that are installed
 *     ground         bloom-index  common  connectors  core
 */
export const paymentsModule: Module = {
  name: "payments",
  version: API_VERSION,
  routes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerServer(app);
    registerAccounts(app);
    registerPayments(app);
    registerAccountsV1(app);
    registerPaymentsV1(app);
    registerBankAccounts(app);
    registerBankAccountsV1(app);
    registerUsers(app);
    registerUserConnections(app);
    registerUserLinks(app);
    registerUserTasks(app);
    registerOpenBanking(app);
    registerPools(app);
    registerPoolsV1(app);
    registerPoolOperations(app);
    registerMetadata(app);
    registerOrders(app);
    registerConversions(app);
    registerInitiations(app);
    registerConnectors(app);
    registerConnectorsV1(app);
    registerConnectorTasksV1(app);
    registerUnservedV1(app);
    registerSchedules(app);
    registerTasks(app);
    registerWebhookReception(app);
    registerInitiationActions(app);
    registerTransferInitiations(app);
    return app;
  },
  florinRoutes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerBookings(app);
    registerConnectorHealth(app);
    registerRejectedItems(app);
    registerReviews(app);
    return app;
  },
  resources: PAYMENT_RESOURCES,
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: paymentSettings,
  tables: PAYMENT_TABLES,
  scopes: readAndWrite("payments", "connectors, accounts and payments"),
  errors: PAYMENT_ERRORS,
  eventTypes: {
    ...ACCOUNT_EVENT_TYPES,
    ...BALANCE_EVENT_TYPES,
    ...BANK_ACCOUNT_EVENT_TYPES,
    ...CONVERSION_EVENT_TYPES,
    ...ORDER_EVENT_TYPES,
    ...POOL_EVENT_TYPES,
    ...USER_EVENT_TYPES,
    ...INITIATION_EVENT_TYPES,
    ...PAYMENT_EVENT_TYPES,
    ...CONNECTOR_EVENT_TYPES,
    ...HEALTH_EVENT_TYPES,
    ...TASK_EVENT_TYPES,
  },
  eventListener: bookingListener,
  status: PAYMENTS_STATUS,
  sweeps: [
    { name: JOBS_SWEEP, run: sweepJobs },
    { name: BOOKINGS_SWEEP, run: runBookings },
    { name: CONNECTORS_SWEEP, run: sweepConnectors },
    { name: INITIATIONS_SWEEP, run: sweepInitiations },
  ],
  classes: { ConnectorObject },
};

export {
  checkTransfer,
  lastKnownPoolBalances,
  listAccounts,
  listPayments,
  poolBalances,
  readMoneyMoves,
  readPaymentV1,
  requestTransfer,
};
export type { PaymentAccount } from "./accounts/account.ts";
export { currencyDecimals } from "./core/assets.ts";
export { countOpenOrders, type OpenOrderCount } from "./initiations/open-count.ts";
export { connectorNamed, type NamedConnector } from "./installs/named.ts";
export {
  beginLookup,
  beginLookups,
  forgetLookups,
  type LookupState,
  readLookups,
  skipLookups,
} from "./lookups/lookup-rows.ts";
export { refreshConnector } from "./movements/wake.ts";
export type { PoolBalance } from "./core/pool-balances.ts";
export type { MoneyMove, MoneyScope } from "./mirror/money-moves.ts";
export { lastAdjustmentKey } from "./payments/adjustment-keys.ts";
export type { Payment } from "./payments/payment.ts";
