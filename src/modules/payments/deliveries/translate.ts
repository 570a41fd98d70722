import { prepareConnectionNews, withOwner } from "./connections.ts";
import { prepareAccounts } from "#modules/payments/accounts/ingestion.ts";
import { prepareBalances } from "#modules/payments/balances/ingestion.ts";
import type { RejectedItem } from "#modules/payments/connectors/provider-objects.ts";
import type {
  MovementOutcome,
  WebhookReport,
} from "#modules/payments/connectors/webhook-contract.ts";
import { joinPrepared, storePage } from "#modules/payments/ingestion/page.ts";
import { findMovementByPollingId } from "#modules/payments/initiations/movement-rows.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import {
  reconcilerOf,
  requestLimits,
  withReference,
} from "#modules/payments/installs/reconciler.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import type { JobOf } from "#modules/payments/jobs/job.ts";
import { isFinalError } from "#modules/payments/jobs/run-task.ts";
import { completeReportedMovements } from "#modules/payments/movements/complete.ts";
import { storeFailure, storePayment } from "#modules/payments/movements/outcome.ts";
import { applyAllPaymentUpdates } from "#modules/payments/movements/payment-updates.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { rejectionStatements } from "#modules/payments/rejected/store.ts";
import { planCompletion } from "#modules/payments/users/redirect.ts";
import { storeWebhookFailure } from "#modules/payments/webhooks/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";

/**
 * Processes a delivery. It may be cut off and repeated at any point, because items that are stored already change nothing.
 * Items that the plugin cannot read or that are not valid are left out, since a repetition would fail in the same way; the
 * health of the connector shows them.
 */
export async function runWebhook(
  context: ServiceContext,
  { connector: id, webhook }: JobOf<"translate-webhook">,
): Promise<void> {
  const connector = await findConnector(context, id);
  if (connector === undefined || connector.deletedAt !== undefined) return;
  try {
    const { webhooks } = await openPlugin(context, connector);
    const report = await webhooks?.translate(webhook);
    if (report !== undefined) await storeReport(context, connector, report);
    const [first] = report?.rejected ?? [];
    if (report === undefined || first === undefined) return;
    await setAside(context, { connector, webhook, items: report.rejected ?? [] });
  } catch (error) {
    if (!isFinalError(error)) throw error;
    const { name, urlPath } = webhook.config;
    logError("a webhook could not be read", error, { connector: id.reference, name, urlPath });
    await storeWebhookFailure(context, connector, { urlPath, error: error.message });
  }
}

/** Stores items of a delivery that could not be read as rejected items. The health of the connector shows them. */
async function setAside(
  context: ServiceContext,
  {
    connector,
    webhook: { config },
    items,
  }: Pick<JobOf<"translate-webhook">, "webhook"> & {
    readonly connector: InstalledConnector;
    readonly items: readonly RejectedItem[];
  },
): Promise<void> {
  const place = {
    scheduleKey: 0,
    fetchKey: 0,
    task: `webhook ${config.name}`,
    state: null,
    instanceKey: 0,
    isRetry: false,
  };
  const [statement] = await rejectionStatements(context, { connector, place }, items);
  await statement;
  const [first] = items;
  const error = `${first?.id} is set aside: ${first?.reason}`;
  await storeWebhookFailure(context, connector, { urlPath: config.urlPath, error });
}

/** Stores the report of a delivery. Throws `ConnectorError` for an object that is not valid, and then stores nothing. */
export async function storeReport(
  context: ServiceContext,
  connector: InstalledConnector,
  told: WebhookReport,
): Promise<void> {
  const report = await withOwner(context, connector, told);
  const { accounts = [], externalAccounts = [], payments = [], balances = [] } = report;
  const { connections = [] } = report;
  const own = new Set(accounts.map(({ reference }) => reference));
  const beneficiaries = externalAccounts.filter(({ reference }) => !own.has(reference));
  const { deletedPayments: deleted = [], cancelledPayments: cancelled = [] } = report;
  await storePage(context, async () =>
    joinPrepared(
      await prepareAccounts(context, { connector, type: "INTERNAL", accounts }),
      await prepareAccounts(context, { connector, type: "EXTERNAL", accounts: beneficiaries }),
      await preparePayments(context, { connector, payments, deleted, cancelled }),
      await prepareBalances(context, { connector, balances }),
      await prepareConnectionNews(context, connector, connections),
    ),
  );
  for (const link of report.endedLinks ?? []) await planCompletion(context, connector, link);
  if (connections.some(({ kind }) => kind === "data-ready")) await tellObject(context, connector);
  for (const outcome of report.outcomes ?? []) await storeOutcome(context, connector, outcome);
  if (payments.length > 0) await completeReportedMovements(context, connector);
  if (payments.length > 0 || cancelled.length > 0) await applyAllPaymentUpdates(context);
}

/** Calls the connector's object, which fetches the data that is ready. If the call fails, the sweep repeats it. */
async function tellObject({ env }: ServiceContext, { id }: InstalledConnector): Promise<void> {
  await reconcilerOf(env).settle({ ...requestLimits(), scope: withReference(id.reference) });
}

/**
 * Stores the outcome of a movement, as if the provider had been asked for it. An outcome without a movement is ignored: the
 * movement has ended, or its outcome is asked for later.
 */
async function storeOutcome(
  context: ServiceContext,
  connector: InstalledConnector,
  { pollingId, result }: MovementOutcome,
): Promise<void> {
  const movement = await findMovementByPollingId(context, { connector, pollingId });
  if (movement === undefined) return;
  if ("payment" in result) await storePayment(context, movement, result.payment);
  else await storeFailure(context, movement, result.error);
}
