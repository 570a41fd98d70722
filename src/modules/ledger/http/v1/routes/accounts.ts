import type { OpenAPIHono } from "@hono/zod-openapi";
import { parseAccount, toAccountView, toExpansion } from "#ledger-engine";
import { toSingleRead } from "#modules/ledger/http/requests.ts";
import { accountFilter } from "#modules/ledger/http/v1/filters.ts";
import { withLedgerOrEmpty } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { toAccountPage, VOLUMES_IMPLIED } from "#modules/ledger/http/v1/requests.ts";
import {
  AccountFilterQuery,
  AccountListQuery,
  AccountV1Response,
} from "#modules/ledger/http/v1/schemas.ts";
import { toAccountV1View, toUnusedAccountView } from "#modules/ledger/http/v1/views.ts";
import {
  AccountResponse,
  AddressParams,
  COUNTED,
  LedgerParams,
  SingleQuery,
} from "#modules/ledger/wire/schemas.ts";
import { AppError } from "#platform/errors.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Ledger API v1"];

export function registerAccounts(app: OpenAPIHono<AppEnv>): void {
  registerList(app);
  registerCount(app);
  registerSingle(app);
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/accounts",
      operationId: "listAccountsLedger",
      summary: "List accounts by address",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: AccountListQuery,
      responses: {
        200: json("A page of accounts", cursorOf(AccountResponse)),
        ...errors(404),
      },
    },
    async ({ params: { ledger }, query, c }) => {
      const wanted = toAccountPage({ ledger, query, settings: deploymentOf(c).settings });
      const expand = toExpansion(wanted.expand);
      const page = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.listAccounts(ledger, wanted, expand),
      );
      const view = mapPage(page, (account) => toAccountView(account, expand));
      return { status: 200, body: toCursorView(view) };
    },
  );
}

function registerCount(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "head",
      path: "/{ledger}/accounts",
      operationId: "countAccounts",
      summary: "Count accounts",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: AccountFilterQuery,
      responses: { 204: COUNTED, ...errors(404) },
    },
    async ({ params: { ledger }, query, c }) => {
      const wanted = { where: accountFilter(query), pit: query.pit };
      const count = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.countAccounts(ledger, wanted),
      );
      return { status: 204, headers: { count: `${count}` } };
    },
  );
}

function registerSingle(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/accounts/{address}",
      operationId: "getAccountLedger",
      summary: "Read an account with its volumes and balances",
      description: "An account without any transaction is shown as well, without dates.",
      tags: TAGS,
      scope: "ledger:read",
      params: AddressParams,
      query: SingleQuery,
      responses: { 200: json("The account", dataOf(AccountV1Response)), ...errors(404) },
    },
    async ({ params: { ledger, address }, query, c }) => {
      const read = { ...toSingleRead(query), ...VOLUMES_IMPLIED };
      const account = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.getAccount(ledger, address, read).catch(whereNotFound),
      );
      const data =
        account === undefined
          ? toUnusedAccountView(parseAccount(address, "account"))
          : toAccountV1View(account, read);
      return { status: 200, body: { data } };
    },
  );
}

/** Returns undefined instead of throwing `NOT_FOUND`. */
function whereNotFound(error: unknown): undefined {
  if (error instanceof AppError && error.kind === "NOT_FOUND") return undefined;
  throw error;
}
