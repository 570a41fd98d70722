import { fetchAccounts, fetchBalances, fetchBeneficiaries } from "./accounts.ts";
import { CurrencycloudClient } from "./client.ts";
import { CURRENCYCLOUD_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer, findMovement } from "./transfers.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Currencycloud: the accounts of a login, their balances and transactions, and beneficiaries. See the README of this folder. */
export const currencycloudKind: kit.ConnectorKind = {
  key: "currencycloud",
  capabilities: [...kit.FETCHES, "CREATE_TRANSFER", "CREATE_PAYOUT"],
  pageSize: 25,
  findsMovements: true,
  fields: CURRENCYCLOUD_FIELDS,
  tree: [
    kit.periodic("FETCH_ACCOUNTS"),
    kit.periodic("FETCH_PAYMENTS"),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    kit.periodic("FETCH_BALANCES"),
  ],
  create: (values, { fetch, clock }) => {
    const client = new CurrencycloudClient(
      { fetch, clock },
      kit.readConfig(CURRENCYCLOUD_FIELDS, values),
    );
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchExternalAccounts: (request) => fetchBeneficiaries(client, request),
      fetchBalances: (request) => fetchBalances(client, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: async (movement) => createTransfer(client, movement),
      createPayout: async (movement) => createPayout(client, movement),
      findMovement: (movement) => findMovement(client, movement),
    };
  },
};
