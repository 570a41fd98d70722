import { fetchAccounts, fetchBalances, fetchPayments } from "./accounts.ts";
import { PowensClient } from "./client.ts";
import { POWENS_FIELDS, readPowensConfig } from "./config.ts";
import { powensUsers } from "./users.ts";
import { powensWebhooks, removeWebhooks, splitPowensWebhook } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Powens: the bank accounts that users let be read. See the README of this folder. */
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
  // The roots hold nothing of their own: a connection is fetched by them when it is made.
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
      // Others' accounts are not told of.
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
