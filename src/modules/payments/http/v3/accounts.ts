import { z } from "@hono/zod-openapi";
import {
  AccountRequest,
  AccountResponse,
  BalanceResponse,
  toAccountView,
  toBalanceView,
} from "./account-schemas.ts";
import { createAccount } from "#modules/payments/accounts/create.ts";
import { getAccount } from "#modules/payments/accounts/get.ts";
import { listAccounts } from "#modules/payments/accounts/list.ts";
import { listBalances } from "#modules/payments/balances/list.ts";
import { toNewAccount } from "#modules/payments/http/account-requests.ts";
import { BalanceListQuery, toBalanceQuery } from "#modules/payments/http/balance-lists.ts";
import { LIST, listing } from "#modules/payments/http/lists.ts";
import { AccountIdInput, ownedIdParam } from "#modules/payments/http/path-ids.ts";
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";

const accounts = operations({
  path: "/v3/accounts",
  tags: ["Accounts and balances"],
  scope: "payments",
});

export const registerAccounts = registration(
  accounts.post("", {
    operationId: "v3CreateAccount",
    summary: "Create an account",
    description:
      "Connectors of the kinds `generic` and `dummypay` allow it. If there is an account with this reference, it stays as it is and is the answer.",
    body: AccountRequest,
    answer: ok.created("The account", AccountResponse, toAccountView),
    handle: ({ body, context }) => createAccount(context, toNewAccount(body)),
  }),
  accounts.get("", {
    operationId: "v3ListAccounts",
    summary: "List accounts",
    description:
      "Filters: `id`, `reference`, `connector_id`, `type`, `default_asset`, `name`, `psu_id`, `open_banking_connection_id`, `metadata[key]`.",
    ...LIST,
    answer: ok.page("A page of accounts", AccountResponse, toAccountView),
    handle: listing("accounts", listAccounts),
  }),
  accounts.get("/{accountID}", {
    operationId: "v3GetAccount",
    summary: "Read an account",
    params: z.object({ accountID: ownedIdParam("account") }),
    answer: ok.data("The account", AccountResponse, toAccountView),
    errors: [404],
    handle: ({ params, context }) => getAccount(context, params.accountID),
  }),
  accounts.get("/{accountID}/balances", {
    operationId: "v3GetAccountBalances",
    summary: "List the balances of an account over time",
    description:
      "Each balance says which amount of an asset the account held during an interval. The intervals follow each other without a gap.",
    params: z.object({ accountID: AccountIdInput }),
    query: BalanceListQuery,
    answer: ok.page("A page of balances", BalanceResponse, toBalanceView),
    handle: ({ params, query, context, c }) => {
      const { settings } = deploymentOf(c);
      const wanted = toBalanceQuery(query, { settings, now: context.clock() });
      return listBalances(context, params.accountID, wanted);
    },
  }),
);
