import { openPlugin } from "./plugin.ts";
import type { InstalledConnector } from "./store.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { Movement } from "#modules/payments/connectors/contract.ts";
import type { ServiceContext } from "#platform/context.ts";

/**
 * Rehearses a movement: runs the plugin's checks, and stops at its first request to the provider or its first write. Each
 * plugin thereby states its conditions only once, in the code that makes the movement, and nothing leaves the deployment:
 *
 *     checks of the plugin ──► first request or write ──► the provider
 *     └─── rehearsed ────┘     └─ never made ──────────────────────┘
 *
 * Throws `ConnectorError` if the plugin refuses the movement in its checks.
 */
export async function dryRunMovement(
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
    store: { ...ports.store, insert: async () => act(), removeByPrefix: async () => act() },
  }));
  const make = movement.type === "TRANSFER" ? plugin.createTransfer : plugin.createPayout;
  try {
    await make?.(movement);
  } catch (error) {
    // An error after the end of the rehearsal is the plugin's reaction to this end, not a refusal.
    if (!hasActed) throw error;
  }
}
