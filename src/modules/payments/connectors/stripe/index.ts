import { fetchAccounts, fetchExternalAccounts } from "./accounts.ts";
import { fetchBalances } from "./balances.ts";
import { StripeClient } from "./client.ts";
import { STRIPE_FIELDS } from "./config.ts";
import { markOf } from "./objects.ts";
import { fetchPayments } from "./transactions.ts";
import { createPayout, createTransfer, reverseTransfer } from "./transfers.ts";
import { removeWebhooks, stripeWebhooks } from "./webhooks.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Stripe: the API key's own account and the accounts connected to it. See the README of this folder. */
export const stripeKind: kit.ConnectorKind = {
  key: "stripe",
  capabilities: [
    ...kit.FETCHES,
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "CREATE_WEBHOOKS",
    "TRANSLATE_WEBHOOKS",
  ],
  pageSize: 100,
  listed: ["TRANSFER", "PAYOUT", "REVERSAL"],
  fields: STRIPE_FIELDS,
  shownReferenceOf: markOf,
  tree: [
    kit.periodic(
      "FETCH_ACCOUNTS",
      // Balances are polled, because no event reports money that leaves a balance.
      kit.periodic("FETCH_BALANCES"),
      kit.periodic("FETCH_PAYMENTS"),
      kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    ),
    kit.once("CREATE_WEBHOOKS"),
  ],
  create: (values, ports) => {
    const { clock } = ports;
    const client = new StripeClient(ports, kit.readConfig(STRIPE_FIELDS, values));
    return {
      fetchAccounts: (request) => fetchAccounts({ client, clock }, request),
      fetchExternalAccounts: (request) => fetchExternalAccounts(client, request),
      fetchBalances: (request) => fetchBalances({ client, clock }, request),
      fetchPayments: (request) => fetchPayments(client, request),
      createTransfer: (movement) => createTransfer({ client, clock }, movement),
      createPayout: (movement) => createPayout({ client, clock }, movement),
      reverseTransfer: (reversal) => reverseTransfer({ client, clock }, reversal),
      webhooks: stripeWebhooks(client, clock),
      checkAccess: async () => {
        await client.readOwnAccount();
      },
      uninstall: (installation) => removeWebhooks(client, installation),
    };
  },
};
