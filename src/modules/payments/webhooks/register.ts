import { eq } from "drizzle-orm";
import { listWebhookConfigs } from "./store.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Plugin } from "#modules/payments/connectors/contract.ts";
import type {
  ParentItem,
  RegisteredWebhook,
} from "#modules/payments/connectors/webhook-contract.ts";
import { type ConnectorId, encodeConnectorId } from "#modules/payments/core/ids.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/** The path at which deliveries of a connector are received, below the URL under which providers reach this server. */
export const webhookPathOf = (id: ConnectorId): string =>
  `/api/payments/v3/connectors/webhooks/${encodeConnectorId(id)}`;

/** Longest path of a webhook, in characters. */
const URL_PATH_LENGTH_MAX = 200;

/** Registers the webhooks of a connector at its provider. Throws `ConnectorError`. */
export async function registerWebhooks(
  context: Pick<ServiceContext, "env">,
  {
    connector,
    plugin,
    parent,
  }: {
    readonly connector: InstalledConnector;
    readonly plugin: Plugin;
    readonly parent: ParentItem | undefined;
  },
): Promise<readonly RegisteredWebhook[]> {
  if (plugin.webhooks === undefined) {
    throw new ConnectorError("invalid", "the connector does not implement CREATE_WEBHOOKS");
  }
  const configs = await plugin.webhooks.create({
    baseUrl: `${await publicUrlOf(context, connector)}${webhookPathOf(connector.id)}`,
    connectorId: encodeConnectorId(connector.id),
    registered: await listWebhookConfigs(context, connector),
    ...(parent === undefined ? {} : { parent }),
  });
  for (const { name, urlPath } of configs) {
    if (!urlPath.startsWith("/") || urlPath.length > URL_PATH_LENGTH_MAX) {
      throw new ConnectorError(
        "invalid",
        `the path '${urlPath}' of the webhook ${name} is not valid`,
      );
    }
  }
  return configs;
}

/**
 * The URL under which providers reach this server: from the setting, or else from the request that installed the connector.
 * Throws `ConnectorError` if neither is known.
 */
export async function publicUrlOf(
  { env }: Pick<ServiceContext, "env">,
  { key }: InstalledConnector,
): Promise<string> {
  const setting = platformSettings.of(env).FLORIN_PUBLIC_URL;
  if (setting !== undefined) return setting;
  const [row] = await databaseOf(env)
    .select({ publicUrl: paymentConnectors.publicUrl })
    .from(paymentConnectors)
    .where(eq(paymentConnectors.key, key));
  if (row !== undefined && row.publicUrl !== null) return row.publicUrl;
  throw new ConnectorError(
    "invalid",
    "FLORIN_PUBLIC_URL is not set. It takes the URL under which the provider reaches this server.",
  );
}
