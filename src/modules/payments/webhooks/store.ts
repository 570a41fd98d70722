import { and, eq, sql } from "drizzle-orm";
import { paymentWebhookConfigs } from "./tables.ts";
import type { RegisteredWebhook } from "#modules/payments/connectors/webhook-contract.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/**
 * The statements that store webhooks that a plugin has registered. Of several webhooks with the same path, the last one
 * counts.
 */
export const configStatements = (
  { env }: Pick<ServiceContext, "env">,
  connector: InstalledConnector,
  configs: readonly RegisteredWebhook[],
) =>
  configs.map(({ name, urlPath, metadata }) => {
    const sealed = SecretBox.from(env).seal(stringifyJson(metadata), purposeOf(connector));
    return databaseOf(env)
      .insert(paymentWebhookConfigs)
      .values({ connectorKey: installedKey(connector), urlPath, name, metadata: sealed })
      .onConflictDoUpdate({
        target: [paymentWebhookConfigs.connectorKey, paymentWebhookConfigs.urlPath],
        set: { name: sql`excluded.name`, metadata: sql`excluded.metadata` },
      });
  });

/** The webhook that is registered for a path; undefined without one. */
export async function findWebhookConfig(
  { env }: Pick<ServiceContext, "env">,
  connector: InstalledConnector,
  urlPath: string,
): Promise<RegisteredWebhook | undefined> {
  const [row] = await databaseOf(env)
    .select()
    .from(paymentWebhookConfigs)
    .where(
      and(
        eq(paymentWebhookConfigs.connectorKey, connector.key),
        eq(paymentWebhookConfigs.urlPath, urlPath),
      ),
    );
  return row === undefined ? undefined : toConfig(env, connector, row);
}

/** All webhooks that are registered for a connector. */
export async function listWebhookConfigs(
  { env }: Pick<ServiceContext, "env">,
  connector: InstalledConnector,
): Promise<RegisteredWebhook[]> {
  const rows = await databaseOf(env)
    .select()
    .from(paymentWebhookConfigs)
    .where(eq(paymentWebhookConfigs.connectorKey, connector.key))
    .orderBy(paymentWebhookConfigs.urlPath);
  return rows.map((row) => toConfig(env, connector, row));
}

/** A webhook with its last delivery that was left out. */
export type WebhookHealth = Pick<
  typeof paymentWebhookConfigs.$inferSelect,
  keyof typeof HEALTH_COLUMNS
>;

const HEALTH_COLUMNS = {
  name: paymentWebhookConfigs.name,
  urlPath: paymentWebhookConfigs.urlPath,
  failedAt: paymentWebhookConfigs.failedAt,
  error: paymentWebhookConfigs.error,
};

/** The health of a connector's webhooks. */
export const readWebhookHealth = (
  { env }: Pick<ServiceContext, "env">,
  { key }: InstalledConnector,
): Promise<WebhookHealth[]> =>
  databaseOf(env)
    .select(HEALTH_COLUMNS)
    .from(paymentWebhookConfigs)
    .where(eq(paymentWebhookConfigs.connectorKey, key))
    .orderBy(paymentWebhookConfigs.urlPath);

/** Stores that a delivery could not be read, with the reason. */
export async function storeWebhookFailure(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { key }: InstalledConnector,
  { urlPath, error }: { readonly urlPath: string; readonly error: string },
): Promise<void> {
  await databaseOf(env)
    .update(paymentWebhookConfigs)
    .set({ failedAt: clock(), error })
    .where(
      and(eq(paymentWebhookConfigs.connectorKey, key), eq(paymentWebhookConfigs.urlPath, urlPath)),
    );
}

const toConfig = (
  env: Env,
  connector: InstalledConnector,
  { name, urlPath, metadata }: typeof paymentWebhookConfigs.$inferSelect,
): RegisteredWebhook => {
  const opened = SecretBox.from(env).open(metadata, purposeOf(connector));
  return { name, urlPath, metadata: parseJson(opened) as RegisteredWebhook["metadata"] }; // only this module writes the column
};

const purposeOf = ({ id }: InstalledConnector): string => `webhooks of connector ${id.reference}`;
