import { type ConnectorId, decodeConnectorId } from "#modules/payments/core/ids.ts";
import type { NewInitiation } from "#modules/payments/initiations/create.ts";
import { present } from "#platform/assert.ts";
import { installDummypay, polled } from "#test/support/payments/installs.ts";
import { api, freshName } from "#test/support/platform/api.ts";

/** A connector that pays from an account of its own to one of somebody else. */
export interface PayingConnector {
  readonly connectorID: string;
  readonly id: ConnectorId;
}

/** A dummy provider with two accounts, after its first poll. */
export async function installPaying(): Promise<PayingConnector> {
  const connectorID = await installDummypay({ directory: freshName("dummy") });
  await polled(connectorID);
  for (const [reference, type] of [
    ["main", "INTERNAL"],
    ["landlord", "EXTERNAL"],
  ]) {
    const account = { reference, accountName: reference, connectorID, type, metadata: {} };
    const createdAt = "2026-03-01T09:30:00Z";
    await api("/api/payments/v3/accounts", { body: { ...account, createdAt } });
  }
  return { connectorID, id: present(decodeConnectorId(connectorID), "it was just given") };
}

/** A payout between the two accounts. */
export const payoutOf = (connector: ConnectorId, reference: string): NewInitiation => ({
  connector,
  reference,
  description: "rent",
  type: "PAYOUT",
  amount: 100n,
  asset: "EUR/2",
  source: { connector, reference: "main" },
  destination: { connector, reference: "landlord" },
  metadata: {},
});
