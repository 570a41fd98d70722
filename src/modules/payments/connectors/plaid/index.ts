import { fetchAccounts, fetchBalances, NOTHING } from "./accounts.ts";
import { PlaidClient } from "./client.ts";
import { PLAID_FIELDS, readPlaidConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { plaidUsers } from "./users.ts";
import { plaidWebhooks } from "./webhooks.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Plaid: the bank accounts that users let be read. See the README of this folder. */
export const plaidKind: ConnectorKind = {
  key: "plaid",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_EXTERNAL_ACCOUNTS",
    "FETCH_PAYMENTS",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: PLAID_FIELDS,
  // The roots hold nothing of their own: the connections of users are fetched by them when webhooks tell of data.
  tree: [
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [{ task: "FETCH_BALANCES", isPeriodic: false, children: [] }],
    },
    { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
    { task: "CREATE_WEBHOOKS", isPeriodic: false, children: [] },
  ],
  create: (values, ports) => {
    const { clock, store } = ports;
    const client = new PlaidClient(ports, readPlaidConfig(values));
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      // Others' accounts are not told of.
      fetchExternalAccounts: async () => NOTHING,
      fetchBalances: async (request) => fetchBalances(request, clock),
      fetchPayments: (request) => fetchPayments({ client, store }, request),
      users: plaidUsers(client, clock),
      webhooks: plaidWebhooks({ client, clock }),
    };
  },
};
