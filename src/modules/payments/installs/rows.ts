import type { paymentConnectors } from "./tables.ts";
import type { ConnectorConfig } from "#modules/payments/connectors/config.ts";
import type { ConnectorId } from "#modules/payments/core/ids.ts";
import type { Timestamp } from "#platform/time.ts";

export interface NewConnector {
  readonly id: ConnectorId;
  readonly config: Pick<ConnectorConfig, "name" | "pollingPeriodMs">;
  /** The values of the configuration, encrypted. */
  readonly sealed: string;
  /** The URL under which the provider reaches this server; null if it is unknown. */
  readonly publicUrl: string | null;
  readonly now: Timestamp;
}

/** The row of a new installation. Its revision is pending, so that the reconciler calls the connector's object. */
export const connectorRow = ({
  id,
  config,
  sealed,
  publicUrl,
  now,
}: NewConnector): typeof paymentConnectors.$inferInsert => ({
  provider: id.provider,
  reference: id.reference,
  name: config.name,
  config: sealed,
  pollingPeriodMs: config.pollingPeriodMs,
  publicUrl,
  createdAt: now,
  revision: 1,
  syncAfter: now,
});
