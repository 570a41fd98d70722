import { readConfig } from "./config.ts";
import { pluginStore } from "./plugin-store.ts";
import type { InstalledConnector } from "./store.ts";
import type { PluginConfig } from "#modules/payments/connectors/config.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  ConnectorKind,
  Plugin,
  PluginPorts,
  PluginStore,
} from "#modules/payments/connectors/contract.ts";
import { kindOf } from "#modules/payments/connectors/index.ts";
import { providerFetch } from "#modules/payments/connectors/kit/http.ts";
import { providerUrlOf } from "#modules/payments/settings.ts";
import { outboundGate } from "#platform/arming/held-work.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { boundFetch, systemFetch } from "#platform/http/outbound.ts";
import { platformSettings } from "#platform/platform-settings.ts";

/**
 * The plugin of an installation. `replaced` may exchange some of its ports. Throws `NOT_FOUND`, or `ConnectorError` for a
 * configuration that is not valid any more.
 */
export async function openPlugin(
  context: ServiceContext,
  connector: InstalledConnector,
  replaced: (ports: PluginPorts) => PluginPorts = (ports) => ports,
): Promise<Plugin> {
  const kind = kindOf(connector.id.provider);
  if (kind === undefined) {
    const { provider } = connector.id;
    throw new ConnectorError("invalid", `this version has no connector '${provider}'`);
  }
  const config = await readConfig(context, connector);
  const store = pluginStore(context.env, connector.key);
  const { reference } = connector.id;
  return kind.create(config, replaced(portsOf(context, { kind, config, store, reference })));
}

/** A kind of connector with a configuration, for an installation with a reference, if there is one yet. */
export interface PluginSetup {
  readonly kind: ConnectorKind;
  readonly config: PluginConfig;
  readonly reference?: string;
}

/**
 * Checks that a plugin accepts a configuration and that the provider accepts its credentials. Throws `VALIDATION`, and `DISARMED` where the
 * provider would have to be asked.
 */
export async function assertPlugin(context: ServiceContext, setup: PluginSetup): Promise<void> {
  const { kind, config } = setup;
  try {
    const store = pluginStore(context.env, NO_KEY);
    await kind.create(config, portsOf(context, { ...setup, store })).checkAccess?.();
  } catch (error) {
    if (!(error instanceof ConnectorError)) throw error;
    throw new AppError("VALIDATION", `invalid config: ${error.message}`, { cause: error });
  }
}

/** A key that no installation has. */
const NO_KEY = 0;

/** The path of a URL, which may contain an account's name or be a secret itself. Empty for other values. */
function pathOf(text: string): string[] {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return [];
  return [new URL(text).pathname.replace(/\/+$/, "")];
}

function portsOf(
  { env, clock }: ServiceContext,
  { kind, config, store, reference }: PluginSetup & { readonly store: PluginStore },
): PluginPorts {
  const secrets = kind.fields.flatMap(({ name, isSecret }) => {
    const value = String(config[name]);
    return isSecret === true ? [value] : pathOf(value);
  });
  const fetch = providerFetch({
    fetch: boundFetch(env, kind.certificateBinding ?? "") ?? systemFetch(env),
    policy: { allowPrivateHosts: platformSettings.of(env).FLORIN_ALLOW_PRIVATE_HOSTS },
    gate: outboundGate(env, reference),
    secrets,
  });
  const baseUrl = providerUrlOf(env, kind.key);
  return { fetch, clock, store, ...(baseUrl === undefined ? {} : { baseUrl }) };
}
