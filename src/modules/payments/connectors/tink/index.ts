import { fetchAccounts, fetchBalances } from "./accounts.ts";
import { TinkClient } from "./client.ts";
import { TINK_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { tinkUsers } from "./users.ts";
import { listEndpoints, removeWebhooks, tinkWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Tink: open banking, the accounts that users have at their banks. See the README of this folder. */
export const tinkKind: kit.ConnectorKind = {
  key: "tink",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_PAYMENTS",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: TINK_FIELDS,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_PAYMENTS"),
    kit.once("CREATE_WEBHOOKS"),
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new TinkClient({ fetch, clock }, kit.readConfig(TINK_FIELDS, values));
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: (request) => fetchPayments(client, clock(), request),
      users: tinkUsers({ client, clock, store }),
      webhooks: tinkWebhooks({ client, clock, store }),
      checkAccess: async () => {
        await listEndpoints(client);
      },
      uninstall: ({ connectorId }) => removeWebhooks(client, connectorId),
    };
  },
};
