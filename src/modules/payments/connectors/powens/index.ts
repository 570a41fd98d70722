import { fetchAccounts, fetchBalances, fetchPayments } from "./accounts.ts";
import { PowensClient } from "./client.ts";
import { POWENS_FIELDS, readPowensConfig } from "./config.ts";
import { powensUsers } from "./users.ts";
import { powensWebhooks, removeWebhooks, splitPowensWebhook } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Powens: the bank accounts to which users give access. See the README of this folder. */
export const powensKind: kit.ConnectorKind = {
  key: "powens",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_EXTERNAL_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_PAYMENTS",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: POWENS_FIELDS,
  // The connector has no data of its own: the tasks run for each connection of a user, when it is made.
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.once("FETCH_BALANCES")),
    kit.periodic("FETCH_PAYMENTS"),
    kit.once("CREATE_WEBHOOKS"),
  ],
  splitWebhook: splitPowensWebhook,
  create: (values, { fetch, clock }) => {
    const config = readPowensConfig(values);
    const client = new PowensClient(fetch, config);
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      // The provider does not report accounts of counterparties.
      fetchExternalAccounts: async () => kit.EMPTY_PAGE,
      fetchBalances: async (request) => fetchBalances(request, clock),
      fetchPayments: (request) => fetchPayments(client, request),
      users: powensUsers({ client, config, clock }),
      webhooks: powensWebhooks(client, clock),
      checkAccess: async () => {
        await client.listAuths();
      },
      uninstall: (installation) => removeWebhooks(client, installation),
    };
  },
};
