import { fetchAccounts } from "./accounts.ts";
import { AdyenClient } from "./client.ts";
import { ADYEN_FIELDS } from "./config.ts";
import { adyenWebhooks, removeWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Adyen: merchant accounts are polled, and payments come by webhooks only. See the README of this folder. */
export const adyenKind: kit.ConnectorKind = {
  key: "adyen",
  capabilities: ["FETCH_ACCOUNTS", "CREATE_WEBHOOKS", "TRANSLATE_WEBHOOKS"],
  pageSize: 100,
  fields: ADYEN_FIELDS,
  legacyConfig: { hmacKey: "" },
  tree: [kit.periodic("FETCH_ACCOUNTS"), kit.once("CREATE_WEBHOOKS")],
  create: (values, { fetch, clock, baseUrl }) => {
    const config = kit.readConfig(ADYEN_FIELDS, values);
    const client = new AdyenClient(fetch, config, baseUrl);
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      webhooks: adyenWebhooks(client, config),
      checkAccess: () => client.checkAccess(),
      uninstall: ({ connectorId }) => removeWebhooks(client, connectorId),
    };
  },
};
