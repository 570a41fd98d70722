import { createBankAccount, fetchAccounts, fetchExternalAccounts } from "./accounts.ts";
import { fetchBalances } from "./balances.ts";
import { IncreaseClient } from "./client.ts";
import { INCREASE_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createPayout, createTransfer } from "./transfers.ts";
import { increaseWebhooks, removeWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Increase: the bank accounts of an API key, and all their transactions. See the README of this folder. */
export const increaseKind: kit.ConnectorKind = {
  key: "increase",
  capabilities: [
    ...kit.FETCHES,
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_BANK_ACCOUNT",
    "TRANSLATE_WEBHOOKS",
    "CREATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: INCREASE_FIELDS,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    // Webhooks report transactions earlier; polling finds transactions whose deliveries were lost.
    kit.periodic("FETCH_PAYMENTS"),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    kit.once("CREATE_WEBHOOKS"),
  ],
  create: (values, { fetch, clock }) => {
    const config = kit.readConfig(INCREASE_FIELDS, values);
    const client = new IncreaseClient(fetch, config);
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchExternalAccounts: (request) => fetchExternalAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: async (movement) => createTransfer(client, movement),
      createPayout: (movement) => createPayout(client, movement),
      createBankAccount: (account) => createBankAccount(client, account),
      webhooks: increaseWebhooks(client, { sharedSecret: config.webhookSharedSecret, clock }),
      uninstall: (installation) => removeWebhooks(client, installation),
    };
  },
};
