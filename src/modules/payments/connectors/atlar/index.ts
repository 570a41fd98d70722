import { fetchAccounts, fetchBalances, fetchExternalAccounts } from "./accounts.ts";
import { createBankAccount } from "./bank-accounts.ts";
import { AtlarClient } from "./client.ts";
import { ATLAR_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, findMovement, pollPayout } from "./transfers.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Atlar: the bank accounts of an organization, and SEPA credit transfers. See the README of this folder. */
export const atlarKind: kit.ConnectorKind = {
  key: "atlar",
  capabilities: [...kit.FETCHES, "CREATE_BANK_ACCOUNT", "CREATE_PAYOUT"],
  pageSize: 100,
  findsMovements: true,
  fields: ATLAR_FIELDS,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_PAYMENTS"),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
  ],
  create: (values, { fetch, clock }) => {
    const client = new AtlarClient(fetch, kit.readConfig(ATLAR_FIELDS, values));
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchBalances: (request) => fetchBalances(client, request),
      fetchExternalAccounts: (request) => fetchExternalAccounts(client, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createPayout: (movement) => createPayout({ client, clock }, movement),
      findMovement: (movement) => findMovement(client, movement),
      pollPayout: (pollingId) => pollPayout(client, pollingId),
      createBankAccount: (account) => createBankAccount(client, account),
      checkAccess: async () => {
        await client.list("/v1/accounts", { token: undefined, pageSize: 1 });
      },
    };
  },
};
