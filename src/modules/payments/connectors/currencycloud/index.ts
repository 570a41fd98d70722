import { fetchAccounts, fetchBalances, fetchBeneficiaries } from "./accounts.ts";
import { CurrencycloudClient } from "./client.ts";
import { CURRENCYCLOUD_FIELDS, readCurrencycloudConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer } from "./transfers.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Currencycloud: the accounts of a login, their balances and transactions, and beneficiaries. See the README of this folder. */
export const currencycloudKind: ConnectorKind = {
  key: "currencycloud",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_EXTERNAL_ACCOUNTS",
    "FETCH_PAYMENTS",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
  ],
  pageSize: 25,
  fields: CURRENCYCLOUD_FIELDS,
  tree: [
    { task: "FETCH_ACCOUNTS", isPeriodic: true, children: [] },
    { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
    { task: "FETCH_EXTERNAL_ACCOUNTS", isPeriodic: true, children: [] },
    { task: "FETCH_BALANCES", isPeriodic: true, children: [] },
  ],
  create: (values, { fetch, clock }) => {
    const client = new CurrencycloudClient({ fetch, clock }, readCurrencycloudConfig(values));
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchExternalAccounts: (request) => fetchBeneficiaries(client, request),
      fetchBalances: (request) => fetchBalances(client, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: async (movement) => createTransfer(client, movement),
      createPayout: async (movement) => createPayout(client, movement),
    };
  },
};
