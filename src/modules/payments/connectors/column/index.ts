import {
  createBankAccount,
  fetchAccounts,
  fetchBalances,
  fetchExternalAccounts,
} from "./accounts.ts";
import { ColumnClient, idempotencyKeyOf } from "./client.ts";
import { COLUMN_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer, reversePayout } from "./transfers.ts";
import { columnWebhooks, removeWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Column: the bank accounts of a platform, and all transfers of them. See the README of this folder. */
export const columnKind: kit.ConnectorKind = {
  key: "column",
  capabilities: [
    ...kit.FETCHES,
    "CREATE_BANK_ACCOUNT",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  listed: ["TRANSFER", "PAYOUT"],
  fields: COLUMN_FIELDS,
  shownReferenceOf: idempotencyKeyOf,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    // Webhooks report transfers earlier; polling finds new transfers whose deliveries were lost.
    kit.periodic("FETCH_PAYMENTS"),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    kit.once("CREATE_WEBHOOKS"),
  ],
  create: (values, { fetch, clock, store }) => {
    const client = new ColumnClient(fetch, kit.readConfig(COLUMN_FIELDS, values));
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchExternalAccounts: (request) => fetchExternalAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: (movement) => createTransfer({ client, store }, movement),
      createPayout: (movement) => createPayout({ client, store }, movement),
      reversePayout: (reversal) => reversePayout({ client, store }, reversal),
      createBankAccount: (account) => createBankAccount(client, account),
      webhooks: columnWebhooks(client),
      checkAccess: async () => {
        await client.list("/bank-accounts", { limit: 1 });
      },
      uninstall: ({ connectorId }) => removeWebhooks(client, connectorId),
    };
  },
};
