import { env } from "cloudflare:workers";
import type { PluginConfig } from "#modules/payments/connectors/config.ts";
import { type ConnectorId, encodeConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { sealConfig } from "#modules/payments/installs/config.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { systemClock } from "#platform/clock.ts";
import { databaseOf } from "#platform/db/database.ts";

/** A connector that is only a stored row, so that it is never polled. */
export interface StoredConnector {
  readonly key: number;
  readonly id: ConnectorId;
  readonly text: string;
  /** The id of an object of the connector. */
  readonly idOf: (reference: string) => string;
}

/** Stores a connector, or finds the stored one with this reference. */
export async function storeConnector({
  provider = "generic",
  reference = crypto.randomUUID(),
  config = {},
}: Partial<ConnectorId> & { config?: PluginConfig } = {}): Promise<StoredConnector> {
  const id = { provider, reference };
  const row = {
    ...id,
    name: id.reference,
    config: sealConfig(env, reference, config),
    pollingPeriodMs: 60_000,
  };
  const [stored] = await databaseOf(env)
    .insert(paymentConnectors)
    .values({ ...row, createdAt: systemClock() })
    .onConflictDoUpdate({ target: paymentConnectors.reference, set: { name: id.reference } })
    .returning({ key: paymentConnectors.key });
  return {
    key: stored?.key ?? 0,
    id,
    text: encodeConnectorId(id),
    idOf: (reference) => encodeOwnedId({ connector: id, reference }),
  };
}
