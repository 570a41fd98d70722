import { createMovement, findMovement } from "./movements.ts";
import { fetchBalances, fetchPage } from "./pages.ts";
import { toAccount, toExternalAccount, toPayment } from "./provider-objects.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/**
 * Any provider that offers the REST contract of generic connectors: lists that can be requested from a time on, and transfers and payouts
 * with an idempotency key.
 */
export const genericKind: kit.ConnectorKind = {
  key: "generic",
  capabilities: [
    ...kit.FETCHES,
    "CREATE_TRANSFER",
    "CREATE_PAYOUT",
    "ALLOW_FORMANCE_ACCOUNT_CREATION",
    "ALLOW_FORMANCE_PAYMENT_CREATION",
  ],
  pageSize: 100,
  listed: ["TRANSFER", "PAYOUT"],
  isListedByWord: true,
  findsMovements: true,
  fields: [
    { name: "apiKey", label: "APIKey", type: "string", isRequired: true, isSecret: true },
    { name: "endpoint", label: "Endpoint", type: "string", isRequired: true },
  ],
  tree: [
    kit.periodic("FETCH_ACCOUNTS", kit.periodic("FETCH_BALANCES")),
    kit.periodic("FETCH_EXTERNAL_ACCOUNTS"),
    kit.periodic("FETCH_PAYMENTS"),
  ],
  create: (config, { fetch }) => {
    const provider = {
      fetch,
      // The base URL has no slash at its end, because paths begin with one.
      endpoint: String(config["endpoint"]).replace(/\/+$/, ""),
      apiKey: String(config["apiKey"]),
    };
    return {
      fetchAccounts: (request) =>
        fetchPage(provider, request, { path: "accounts", time: "createdAt", read: toAccount }),
      fetchExternalAccounts: (request) =>
        fetchPage(provider, request, {
          path: "beneficiaries",
          time: "createdAt",
          read: toExternalAccount,
        }),
      fetchPayments: (request) =>
        fetchPage(provider, request, { path: "transactions", time: "updatedAt", read: toPayment }),
      fetchBalances: (request) => fetchBalances(provider, request),
      createTransfer: (movement) => createMovement(provider, movement),
      createPayout: (movement) => createMovement(provider, movement),
      findMovement: (movement) => findMovement(provider, movement),
    };
  },
};
