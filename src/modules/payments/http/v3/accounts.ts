import { type OpenAPIHono, z } from "@hono/zod-openapi";
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
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Accounts and balances"];

export function registerAccounts(app: OpenAPIHono<AppEnv>): void {
  registerCollection(app);
  registerOne(app);
}

function registerCollection(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "post",
      path: "/v3/accounts",
      operationId: "v3CreateAccount",
      summary: "Create an account",
      description:
        "Connectors of the kinds `generic` and `dummypay` allow it. If there is an account with this reference, it stays as it is and is the answer.",
      tags: TAGS,
      scope: "payments:write",
      body: AccountRequest,
      responses: { 201: json("The account", dataOf(AccountResponse)) },
    },
    async ({ body, c }) => {
      const account = await createAccount(c.var.context, toNewAccount(body));
      return { status: 201, body: { data: toAccountView(account) } };
    },
  );
  endpoint(
    app,
    {
      ...LIST,
      path: "/v3/accounts",
      operationId: "v3ListAccounts",
      summary: "List accounts",
      description:
        "Filters: `id`, `reference`, `connector_id`, `type`, `default_asset`, `name`, `psu_id`, `open_banking_connection_id`, `metadata[key]`.",
      tags: TAGS,
      responses: { 200: json("A page of accounts", cursorOf(AccountResponse)) },
    },
    listing("accounts", listAccounts, toAccountView),
  );
}

function registerOne(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/accounts/{accountID}",
      operationId: "v3GetAccount",
      summary: "Read an account",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ accountID: ownedIdParam("account") }),
      responses: { 200: json("The account", dataOf(AccountResponse)), ...errors(404) },
    },
    async ({ params, c }) => {
      const account = await getAccount(c.var.context, params.accountID);
      return { status: 200, body: { data: toAccountView(account) } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/v3/accounts/{accountID}/balances",
      operationId: "v3GetAccountBalances",
      summary: "List the balances of an account over time",
      description:
        "Each balance says which amount of an asset the account held during an interval. The intervals follow each other without a gap.",
      tags: TAGS,
      scope: "payments:read",
      params: z.object({ accountID: AccountIdInput }),
      query: BalanceListQuery,
      responses: { 200: json("A page of balances", cursorOf(BalanceResponse)) },
    },
    async ({ params, query, c }) => {
      const context = c.get("context");
      const { settings } = deploymentOf(c);
      const wanted = toBalanceQuery(query, { settings, now: context.clock() });
      const page = await listBalances(context, params.accountID, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toBalanceView)) };
    },
  );
}
