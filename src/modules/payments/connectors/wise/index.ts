import { fetchAccounts, fetchProfiles, fetchRecipients } from "./accounts.ts";
import { fetchBalances } from "./balances.ts";
import { WISE_URL, WiseClient } from "./client.ts";
import { readWiseConfig, WISE_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createTransfer, toCustomerTransactionId } from "./transfers.ts";
import { removeWebhooks, wiseWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Wise: profiles with their balances, recipients and transfers. See the README of this folder. */
export const wiseKind: kit.ConnectorKind = {
  key: "wise",
  capabilities: [
    ...kit.FETCHES,
    "FETCH_OTHERS",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  listed: ["TRANSFER", "PAYOUT"],
  fields: WISE_FIELDS,
  shownReferenceOf: toCustomerTransactionId,
  tree: [
    kit.periodic(
      "FETCH_OTHERS",
      kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
      kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
      kit.once("CREATE_WEBHOOKS"),
      kit.periodic("FETCH_PAYMENTS"),
    ),
  ],
  create: (values, { fetch, clock, baseUrl = WISE_URL }) => {
    const { apiKey, webhookPublicKey } = readWiseConfig(values);
    const client = new WiseClient(fetch, { apiKey, baseUrl });
    return {
      fetchOthers: (request) => fetchProfiles(client, request),
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchBalances: (request) => fetchBalances(client, request),
      fetchExternalAccounts: (request) => fetchRecipients({ client, clock }, request),
      fetchPayments: (request) => fetchPayments({ client, clock }, request),
      createTransfer: (movement) => createTransfer(client, movement),
      createPayout: (movement) => createTransfer(client, movement),
      webhooks: wiseWebhooks(client, webhookPublicKey),
      uninstall: ({ connectorId }) => removeWebhooks(client, connectorId),
    };
  },
};
