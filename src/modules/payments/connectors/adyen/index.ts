import { fetchAccounts } from "./accounts.ts";
import { AdyenClient } from "./client.ts";
import { ADYEN_FIELDS, readAdyenConfig } from "./config.ts";
import { adyenWebhooks, removeWebhooks } from "./webhooks.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Adyen: merchant accounts are polled, and payments come by webhooks only. See the README of this folder. */
export const adyenKind: ConnectorKind = {
  key: "adyen",
  capabilities: ["FETCH_ACCOUNTS", "CREATE_WEBHOOKS", "TRANSLATE_WEBHOOKS"],
  pageSize: 100,
  fields: ADYEN_FIELDS,
  legacyConfig: { hmacKey: "" },
  tree: [
    { task: "FETCH_ACCOUNTS", isPeriodic: true, children: [] },
    { task: "CREATE_WEBHOOKS", isPeriodic: false, children: [] },
  ],
  create: (values, { fetch, clock, baseUrl }) => {
    const config = readAdyenConfig(values);
    const client = new AdyenClient(fetch, config, baseUrl);
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      webhooks: adyenWebhooks(client, config),
      checkAccess: () => client.checkAccess(),
      uninstall: ({ connectorId }) => removeWebhooks(client, connectorId),
    };
  },
};
