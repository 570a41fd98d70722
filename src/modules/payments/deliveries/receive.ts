import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  ProviderWebhook,
  WebhookVerdict,
} from "#modules/payments/connectors/webhook-contract.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import { isInstalled } from "#modules/payments/installs/installed.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import { planJob, withJobs } from "#modules/payments/jobs/store.ts";
import { splitDelivery } from "#modules/payments/webhooks/parts.ts";
import { publicUrlOf, webhookPathOf } from "#modules/payments/webhooks/register.ts";
import { findWebhookConfig } from "#modules/payments/webhooks/store.ts";
import { paymentWebhookDeliveries } from "#modules/payments/webhooks/tables.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { AppError } from "#platform/errors.ts";
import { log } from "#platform/log.ts";
import { fromMillis, toMillis } from "#platform/time.ts";

/** A request to a URL below the URL of a connector. */
export interface ReceivedWebhook extends Pick<
  ProviderWebhook,
  "method" | "headers" | "query" | "body"
> {
  readonly connectorId: ConnectorId;
  /** The part of the path after the connector's own URL. */
  readonly urlPath: string;
  /** The query with its question mark; empty without a query. */
  readonly search: string;
}

/** How long deliveries are recognised, in milliseconds. Providers repeat deliveries for some days. */
const KNOWN_MS = 90 * 86_400_000;
/** Most old deliveries that are deleted with each new one. */
const FORGOTTEN_MAX = 10;

/**
 * Accepts a delivery of a provider: the delivery is stored with the jobs that process it, and only then answered. A
 * repeated delivery changes nothing. Throws `NOT_FOUND`; `UNAUTHENTICATED` for a delivery that is not the provider's;
 * `OVERLOADED` if the delivery cannot be verified now; and `BODY_TOO_LARGE` if it cannot be split into parts that are small
 * enough.
 */
export async function receiveWebhook(
  context: ServiceContext,
  delivery: ReceivedWebhook,
): Promise<void> {
  const { connectorId, urlPath, search, method, headers, query, body } = delivery;
  const connector = await findConnector(context, connectorId);
  if (connector === undefined || connector.deletedAt !== undefined) {
    throw new AppError("NOT_FOUND", "cannot get connector: not found");
  }
  const config = await findWebhookConfig(context, connector, urlPath);
  if (config === undefined) throw new AppError("NOT_FOUND", "webhook config not found");
  const url = `${await publicUrlOf(context, connector)}${webhookPathOf(connectorId)}${urlPath}${search}`;
  const webhook = { config, method, url, headers, query, body };
  const verdict = await verify(context, connector, webhook);
  if ("refused" in verdict) {
    const { refused } = verdict;
    log("warn", "a webhook was refused", { connector: connectorId.reference, urlPath, refused });
    throw new AppError("UNAUTHENTICATED", "the signature of the webhook is not valid");
  }
  await store(context, { connector, webhook, key: verdict.key });
}

async function verify(
  context: ServiceContext,
  connector: InstalledConnector,
  webhook: ProviderWebhook,
): Promise<WebhookVerdict> {
  try {
    const { webhooks } = await openPlugin(context, connector);
    if (webhooks === undefined) throw new AppError("NOT_FOUND", "webhook config not found");
    return await webhooks.verify(webhook);
  } catch (error) {
    // A provider that gets this answer sends the webhook again.
    if (!(error instanceof ConnectorError) && !isHeld(error)) throw error;
    throw new AppError("OVERLOADED", "the webhook cannot be verified now", { cause: error });
  }
}

/** Stores the digest of a delivery and its jobs, one for each part, in one batch. */
async function store(
  context: ServiceContext,
  {
    connector,
    webhook,
    key,
  }: {
    readonly connector: InstalledConnector;
    readonly webhook: ProviderWebhook;
    readonly key: string;
  },
): Promise<void> {
  const { env, clock } = context;
  const db = databaseOf(env);
  const now = clock();
  const digest = createHash("sha256").update(key).digest("base64url");
  const isNew = sql`NOT EXISTS (
    SELECT 1 FROM ${paymentWebhookDeliveries} AS d
    WHERE d.connector_key = ${connector.key} AND d.digest = ${digest}) AND ${isInstalled(connector)}`;
  const jobs = splitDelivery(connector, webhook).map((part, index) =>
    planJob(context, {
      name: `webhook-${connector.id.reference}-${digest}-${index}`,
      job: { kind: "translate-webhook", connector: connector.id, webhook: part },
      connectorKey: connector.key,
      condition: isNew,
    }),
  );
  await withJobs(context, () =>
    db.batch([
      db.delete(paymentWebhookDeliveries).where(
        sql`key IN (SELECT key FROM ${paymentWebhookDeliveries} ORDER BY key LIMIT ${FORGOTTEN_MAX})
          AND received_at < ${fromMillis(toMillis(now) - KNOWN_MS)}`,
      ),
      ...jobs,
      // It comes last, as it ends the condition of the jobs.
      db.insert(paymentWebhookDeliveries).select(
        sql`SELECT ${columnValues(paymentWebhookDeliveries, {
          key: null,
          connectorKey: connector.key,
          digest,
          receivedAt: now,
        })} WHERE ${isNew}`,
      ),
    ]),
  );
}
