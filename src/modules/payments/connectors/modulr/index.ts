import { fetchAccounts, fetchBalances, fetchBeneficiaries } from "./accounts.ts";
import { ModulrClient } from "./client.ts";
import { MODULR_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createMovement, externalReferenceOf } from "./transfers.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Modulr: accounts with their transactions, and payments to beneficiaries. See the README of this folder. */
export const modulrKind: kit.ConnectorKind = {
  key: "modulr",
  capabilities: [...kit.FETCHES, "CREATE_TRANSFER", "CREATE_PAYOUT"],
  pageSize: 100,
  fields: MODULR_FIELDS,
  shownReferenceOf: externalReferenceOf,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_PAYMENTS"), kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new ModulrClient({ fetch, clock }, kit.readConfig(MODULR_FIELDS, values));
    const open = new kit.OpenMovements(store);
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
