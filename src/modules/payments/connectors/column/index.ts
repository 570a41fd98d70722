import {
  createBankAccount,
  fetchAccounts,
  fetchBalances,
  fetchExternalAccounts,
} from "./accounts.ts";
import { ColumnClient, idempotencyKeyOf } from "./client.ts";
import { COLUMN_FIELDS, readColumnConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer, reversePayout } from "./transfers.ts";
import { columnWebhooks, removeWebhooks } from "./webhooks.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Column: the bank accounts of a platform, and all transfers of them. See the README of this folder. */
export const columnKind: ConnectorKind = {
  key: "column",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_EXTERNAL_ACCOUNTS",
    "FETCH_PAYMENTS",
    "CREATE_BANK_ACCOUNT",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: COLUMN_FIELDS,
  shownReferenceOf: idempotencyKeyOf,
  tree: [
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [{ task: "FETCH_BALANCES", isPeriodic: true, children: [] }],
    },
    // Webhooks tell sooner; a delivery about a new transfer that was lost is made up for here.
    { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
    { task: "FETCH_EXTERNAL_ACCOUNTS", isPeriodic: true, children: [] },
    { task: "CREATE_WEBHOOKS", isPeriodic: false, children: [] },
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new ColumnClient(fetch, readColumnConfig(values));
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchExternalAccounts: (request) => fetchExternalAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: (movement) => createTransfer({ client, store }, movement),
      createPayout: (movement) => createPayout({ client, store }, movement),
      reversePayout: (reversal) => reversePayout({ client, store }, reversal),
      createBankAccount: (account) => createBankAccount(client, account),
      webhooks: columnWebhooks(client),
      checkAccess: async () => {
        await client.list("/bank-accounts", { limit: 1 });
      },
      uninstall: ({ connectorId }) => removeWebhooks(client, connectorId),
    };
  },
};
