import { fetchAccounts, fetchBalances, fetchExternalAccounts, fetchUsers } from "./accounts.ts";
import { createBankAccount } from "./bank-accounts.ts";
import { MangopayClient } from "./client.ts";
import { MANGOPAY_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer } from "./transfers.ts";
import { disableHooks, mangopayWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Mangopay: the users of a client with their wallets and bank accounts. See the README of this folder. */
export const mangopayKind: kit.ConnectorKind = {
  key: "mangopay",
  capabilities: [
    ...kit.FETCHES,
    "FETCH_OTHERS",
    "CREATE_BANK_ACCOUNT",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  listed: ["TRANSFER", "PAYOUT"],
  fields: MANGOPAY_FIELDS,
  tree: [
    kit.periodic(
      "FETCH_OTHERS",
      kit.periodic(
        "FETCH_ACCOUNTS",
        // Webhooks report payments earlier; polling finds payments whose deliveries were lost.
        kit.periodic("FETCH_PAYMENTS"),
        kit.periodic("FETCH_BALANCES"),
      ),
      kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    ),
    kit.once("CREATE_WEBHOOKS"),
  ],
  create: (values, { fetch, clock }) => {
    const client = new MangopayClient({ fetch, clock }, kit.readConfig(MANGOPAY_FIELDS, values));
    return {
      fetchOthers: (request) => fetchUsers(client, request),
      fetchAccounts: async (request) => fetchAccounts(client, request),
      fetchExternalAccounts: async (request) => fetchExternalAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: async (request) => fetchPayments(client, request),
      createTransfer: async (movement) => createTransfer({ client, clock }, movement),
      createPayout: async (movement) => createPayout({ client, clock }, movement),
      createBankAccount: (account) => createBankAccount(client, account),
      webhooks: mangopayWebhooks(client),
      checkAccess: async () => {
        await client.list("/users", { page: 1, pageSize: 1 });
      },
      uninstall: ({ connectorId }) => disableHooks(client, connectorId),
    };
  },
};
