import { fetchAccounts } from "./accounts.ts";
import { fetchBalances } from "./balances.ts";
import { exampleClient } from "./client.ts";
import { EXAMPLE_FIELDS, readExampleConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createMovement } from "./transfers.ts";
import { exampleWebhooks, removeWebhooks } from "./webhooks.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Example. See the README of this folder. */
export const exampleKind: ConnectorKind = {
  key: "example",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_PAYMENTS",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: EXAMPLE_FIELDS,
  tree: [
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [{ task: "FETCH_BALANCES", isPeriodic: true, children: [] }],
    },
    { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
    { task: "CREATE_WEBHOOKS", isPeriodic: false, children: [] },
  ],
  create: (values, { fetch }) => {
    const client = exampleClient(fetch, readExampleConfig(values));
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchBalances: (request) => fetchBalances(client, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: (movement) => createMovement(client, movement),
      createPayout: (movement) => createMovement(client, movement),
      webhooks: exampleWebhooks(client),
      uninstall: (installation) => removeWebhooks(client, installation),
    };
  },
};
