import { fetchAccounts, fetchBalances, fetchBeneficiaries } from "./accounts.ts";
import { ModulrClient } from "./client.ts";
import { MODULR_FIELDS, readModulrConfig } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createMovement, externalReferenceOf } from "./transfers.ts";
import type { ConnectorKind } from "#modules/payments/connectors/contract.ts";
import { OpenMovements } from "#modules/payments/connectors/kit/open-movements.ts";

/** Modulr: accounts with their transactions, and payments to beneficiaries. See the README of this folder. */
export const modulrKind: ConnectorKind = {
  key: "modulr",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_EXTERNAL_ACCOUNTS",
    "FETCH_PAYMENTS",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
  ],
  pageSize: 100,
  fields: MODULR_FIELDS,
  shownReferenceOf: externalReferenceOf,
  tree: [
    {
      task: "FETCH_ACCOUNTS",
      isPeriodic: true,
      children: [
        { task: "FETCH_PAYMENTS", isPeriodic: true, children: [] },
        { task: "FETCH_BALANCES", isPeriodic: true, children: [] },
      ],
    },
    { task: "FETCH_EXTERNAL_ACCOUNTS", isPeriodic: true, children: [] },
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new ModulrClient({ fetch, clock }, readModulrConfig(values));
    const open = new OpenMovements(store);
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchExternalAccounts: (request) => fetchBeneficiaries(client, request),
      fetchPayments: (request) => fetchPayments({ client, clock, open }, request),
      createTransfer: (movement) => createMovement({ client, open }, movement),
      createPayout: (movement) => createMovement({ client, open }, movement),
    };
  },
};
