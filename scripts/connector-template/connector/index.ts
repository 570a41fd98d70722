import { fetchAccounts } from "./accounts.ts";
import { fetchBalances } from "./balances.ts";
import { exampleClient } from "./client.ts";
import { EXAMPLE_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { createMovement } from "./transfers.ts";
import { exampleWebhooks, removeWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Example. See the README of this folder. */
export const exampleKind: kit.ConnectorKind = {
  key: "example",
  capabilities: [
    "FETCH_ACCOUNTS",
    "FETCH_BALANCES",
    "FETCH_PAYMENTS",
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  fields: EXAMPLE_FIELDS,
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_PAYMENTS"),
    kit.once("CREATE_WEBHOOKS"),
  ],
  create: (values, { fetch }) => {
    const client = exampleClient(fetch, kit.readConfig(EXAMPLE_FIELDS, values));
    return {
      fetchAccounts: (request) => fetchAccounts(client, request),
      fetchBalances: (request) => fetchBalances(client, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: (movement) => createMovement(client, movement),
      createPayout: (movement) => createMovement(client, movement),
      webhooks: exampleWebhooks(client),
      uninstall: (installation) => removeWebhooks(client, installation),
    };
  },
};
