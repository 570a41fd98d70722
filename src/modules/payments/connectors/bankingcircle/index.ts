import { createBankAccount, fetchAccounts, fetchBalances } from "./accounts.ts";
import { BankingCircleClient } from "./client.ts";
import { assertCertificate, BANKINGCIRCLE_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer } from "./transfers.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Banking Circle: the accounts at the bank, and single payments. See the README of this folder. */
export const bankingcircleKind: kit.ConnectorKind = {
  key: "bankingcircle",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_PAYMENTS",
    "FETCH_BALANCES",
    "CREATE_BANK_ACCOUNT",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
  ],
  pageSize: 100,
  fields: BANKINGCIRCLE_FIELDS,
  certificateBinding: "BANKINGCIRCLE_CERTIFICATE",
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_PAYMENTS"),
  ],
  create: (values, { fetch, clock, store }) => {
    const config = kit.readConfig(BANKINGCIRCLE_FIELDS, values);
    const client = new BankingCircleClient({ fetch, clock }, config);
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: (movement) => createTransfer({ client, store }, movement),
      createPayout: (movement) => createPayout({ client, store }, movement),
      createBankAccount: (account) => createBankAccount(store, account),
      checkAccess: async () => {
        assertCertificate(config);
        await client.list("/api/v1/accounts", { page: 1, pageSize: 1 });
      },
    };
  },
};
