import { eq } from "drizzle-orm";
import { type InstalledConnector, unknownConnector } from "./store.ts";
import { paymentConnectors } from "./tables.ts";
import type { ConfigField, PluginConfig } from "#modules/payments/connectors/config.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { toConfigProvider } from "#modules/payments/core/providers.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { formatDurationMs } from "#platform/duration.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";

/** Encrypts the values of a configuration for its column. They can be decrypted only for the same installation. */
export const sealConfig = (env: Env, reference: string, values: PluginConfig): string =>
  SecretBox.from(env).seal(stringifyJson(values), purposeOf(reference));

export const openConfig = (env: Env, reference: string, sealed: string): PluginConfig =>
  // The column holds the JSON that `sealConfig` has encrypted.
  parseJson(SecretBox.from(env).open(sealed, purposeOf(reference))) as PluginConfig;

const purposeOf = (reference: string): string => `payment connector ${reference}`;

/** The configuration of an installation, in clear. Throws `NOT_FOUND` if it has been uninstalled meanwhile. */
export async function readConfig(
  { env }: Pick<ServiceContext, "env">,
  { key, id }: InstalledConnector,
): Promise<PluginConfig> {
  const [row] = await databaseOf(env)
    .select({ config: paymentConnectors.config })
    .from(paymentConnectors)
    .where(eq(paymentConnectors.key, key));
  if (row === undefined) throw unknownConnector();
  return openConfig(env, id.reference, row.config);
}

/** Replaces a secret in answers to clients that may only read. */
const MASK = "********";

/**
 * A configuration as clients see it. Clients that may change it get its secrets, because their forms need them; clients
 * that may only read get masks.
 */
export function showConfig(
  { id, name, pollingPeriodMs }: InstalledConnector,
  values: PluginConfig,
  { principal }: Pick<ServiceContext, "principal">,
): Record<string, string | number | boolean> {
  const maySeeSecrets = principal.scopes.has("payments:write");
  const shown = ({ name: field, isSecret = false }: ConfigField) =>
    isSecret && !maySeeSecrets ? MASK : (values[field] ?? "");
  const fields = kindOf(id.provider)?.fields ?? [];
  return {
    ...Object.fromEntries(fields.map((field) => [field.name, shown(field)])),
    name,
    pollingPeriod: formatDurationMs(pollingPeriodMs),
    provider: toConfigProvider(id.provider),
  };
}
