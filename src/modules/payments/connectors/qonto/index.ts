import { fetchAccounts, fetchBalances, fetchBeneficiaries } from "./accounts.ts";
import { QontoClient } from "./client.ts";
import { QONTO_FIELDS, readQontoConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";

/** Qonto: the bank accounts of an organization, their balances, transactions and beneficiaries. See the README of this folder. */
export const qontoKind: ConnectorKind = {
  key: "qonto",
  capabilities: ["FETCH_ACCOUNTS", "FETCH_BALANCES", "FETCH_EXTERNAL_ACCOUNTS", "FETCH_PAYMENTS"],
  pageSize: 100,
  fields: QONTO_FIELDS,
  tree: [
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [
        { task: "FETCH_BALANCES", isPeriodic: true, children: [] },
        { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
      ],
    },
    { task: "FETCH_EXTERNAL_ACCOUNTS", isPeriodic: true, children: [] },
  ],
  create: (values, { fetch, clock }) => {
    const client = new QontoClient(fetch, readQontoConfig(values));
    return {
      fetchAccounts: () => fetchAccounts(client),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchExternalAccounts: (request) => fetchBeneficiaries(client, request),
      fetchPayments: (request) => fetchPayments(client, request),
      checkAccess: () => client.checkAccess(),
    };
  },
};
