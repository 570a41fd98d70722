import { createBankAccount, fetchAccounts, fetchExternalAccounts } from "./accounts.ts";
import { fetchBalances } from "./balances.ts";
import { IncreaseClient } from "./client.ts";
import { INCREASE_FIELDS, readIncreaseConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer } from "./transfers.ts";
import { increaseWebhooks, removeWebhooks } from "./webhooks.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Increase: the bank accounts of a key, and all that moves on them. See the README of this folder. */
export const increaseKind: ConnectorKind = {
  key: "increase",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_EXTERNAL_ACCOUNTS",
    "FETCH_PAYMENTS",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_BANK_ACCOUNT",
    "TRANSLATE_WEBHOOKS",
    "CREATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: INCREASE_FIELDS,
  tree: [
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [{ task: "FETCH_BALANCES", isPeriodic: true, children: [] }],
    },
    // Webhooks tell sooner; a delivery that was lost is made up for here.
    { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
    { task: "FETCH_EXTERNAL_ACCOUNTS", isPeriodic: true, children: [] },
    { task: "CREATE_WEBHOOKS", isPeriodic: false, children: [] },
  ],
  create: (values, { fetch, clock }) => {
    const config = readIncreaseConfig(values);
    const client = new IncreaseClient(fetch, config);
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchExternalAccounts: (request) => fetchExternalAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: async (movement) => createTransfer(client, movement),
      createPayout: (movement) => createPayout(client, movement),
      createBankAccount: (account) => createBankAccount(client, account),
      webhooks: increaseWebhooks(client, { sharedSecret: config.webhookSharedSecret, clock }),
      uninstall: (installation) => removeWebhooks(client, installation),
    };
  },
};
