import { fetchAccounts, fetchBalances } from "./accounts.ts";
import { PlaidClient } from "./client.ts";
import { PLAID_FIELDS } from "./config.ts";
import { fetchPayments } from "./payments.ts";
import { plaidUsers } from "./users.ts";
import { plaidWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Plaid: the bank accounts to which users give access. See the README of this folder. */
export const plaidKind: kit.ConnectorKind = {
  key: "plaid",
  capabilities: [...kit.FETCHES, "CREATE_WEBHOOKS", "TRANSLATE_WEBHOOKS"],
  pageSize: 100,
  fields: PLAID_FIELDS,
  // The connector has no data of its own: the tasks run for the connections of users, when webhooks report new data.
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.once("FETCH_BALANCES")),
    kit.periodic("FETCH_PAYMENTS"),
    kit.once("CREATE_WEBHOOKS"),
  ],
  create: (values, ports) => {
    const { clock, store } = ports;
    const client = new PlaidClient(ports, kit.readConfig(PLAID_FIELDS, values));
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      // The provider does not report accounts of counterparties.
      fetchExternalAccounts: async () => kit.EMPTY_PAGE,
      fetchBalances: async (request) => fetchBalances(request, clock),
      fetchPayments: (request) => fetchPayments({ client, store }, request),
      users: plaidUsers(client, clock),
      webhooks: plaidWebhooks({ client, clock }),
    };
  },
};
