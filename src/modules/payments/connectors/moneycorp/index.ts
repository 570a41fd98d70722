import { fetchAccounts, fetchBalances, fetchRecipients } from "./accounts.ts";
import { MoneycorpClient } from "./client.ts";
import { MONEYCORP_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { clientReferenceOf, createPayout, createTransfer } from "./transfers.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Moneycorp: accounts with their transactions, and payments to recipients. See the README of this folder. */
export const moneycorpKind: kit.ConnectorKind = {
  key: "moneycorp",
  capabilities: [...kit.FETCHES, "CREATE_TRANSFER", "CREATE_PAYOUT"],
  pageSize: 100,
  fields: MONEYCORP_FIELDS,
  shownReferenceOf: clientReferenceOf,
  tree: [
    kit.periodic(
      "FETCH_ACCOUNTS",
      kit.periodic("FETCH_BALANCES"),
      kit.periodic("FETCH_PAYMENTS"),
      kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    ),
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new MoneycorpClient({ fetch, clock }, kit.readConfig(MONEYCORP_FIELDS, values));
    const open = new kit.OpenMovements(store);
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
