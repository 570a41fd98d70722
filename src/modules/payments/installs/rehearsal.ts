import { openPlugin } from "./plugin.ts";
import type { InstalledConnector } from "./store.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * Makes a movement up to the first thing that it would do: the plugin checks it as it will, and its first request to the provider, or
 * its first write, ends the rehearsal. So each plugin says once what it needs, and nothing leaves the deployment:
 *
 *     checks of the plugin ──► first request or write ──► the provider
 *     └─── rehearsed ────┘     └─ never made ──────────────────────┘
 *
 * Throws `ConnectorError` where the plugin refuses the movement before that.
 */
export async function rehearse(
  context: ServiceContext,
  connector: InstalledConnector,
  movement: Movement,
): Promise<void> {
  let hasActed = false;
  const act = (): never => {
    hasActed = true;
    throw new ConnectorError("unreachable", "a rehearsal does not reach the provider");
  };
  const plugin = await openPlugin(context, connector, (ports) => ({
    ...ports,
    fetch: async () => act(),
    store: { ...ports.store, insert: async () => act(), remove: async () => act() },
  }));
  const make = movement.type === "TRANSFER" ? plugin.createTransfer : plugin.createPayout;
  try {
    await make?.(movement);
  } catch (error) {
    // Whatever a plugin makes of the end of the rehearsal is no refusal.
    if (!hasActed) throw error;
  }
}
