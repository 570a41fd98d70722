import { fetchAccounts, fetchBalances } from "./accounts.ts";
import { TinkClient } from "./client.ts";
import { readTinkConfig, TINK_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { tinkUsers } from "./users.ts";
import { listEndpoints, removeWebhooks, tinkWebhooks } from "./webhooks.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Tink: open banking, the accounts that users have at their banks. See the README of this folder. */
export const tinkKind: ConnectorKind = {
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
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [{ task: "FETCH_BALANCES", isPeriodic: true, children: [] }],
    },
    { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
    { task: "CREATE_WEBHOOKS", isPeriodic: false, children: [] },
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new TinkClient({ fetch, clock }, readTinkConfig(values));
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
