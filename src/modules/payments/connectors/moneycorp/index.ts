import { fetchAccounts, fetchBalances, fetchRecipients } from "./accounts.ts";
import { MoneycorpClient } from "./client.ts";
import { MONEYCORP_FIELDS, readMoneycorpConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { clientReferenceOf, createPayout, createTransfer } from "./transfers.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";
import { OpenMovements } from "#modules/payments/connectors/kit/open-movements.ts";

/** Moneycorp: accounts with their transactions, and payments to recipients. See the README of this folder. */
export const moneycorpKind: ConnectorKind = {
  key: "moneycorp",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_EXTERNAL_ACCOUNTS",
    "FETCH_PAYMENTS",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
  ],
  pageSize: 100,
  fields: MONEYCORP_FIELDS,
  shownReferenceOf: clientReferenceOf,
  tree: [
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [
        { task: "FETCH_BALANCES", isPeriodic: true, children: [] },
        { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
        { task: "FETCH_EXTERNAL_ACCOUNTS", isPeriodic: true, children: [] },
      ],
    },
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new MoneycorpClient({ fetch, clock }, readMoneycorpConfig(values));
    const open = new OpenMovements(store);
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchExternalAccounts: (request) => fetchRecipients(client, request),
      fetchPayments: (request) => fetchPayments({ client, clock, open }, request),
      createTransfer: async (movement) => createTransfer({ client, open }, movement),
      createPayout: async (movement) => createPayout({ client, open }, movement),
    };
  },
};
