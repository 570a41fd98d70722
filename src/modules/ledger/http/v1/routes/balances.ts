import type { OpenAPIHono } from "@hono/zod-openapi";
import { aggregateFilter } from "#modules/ledger/http/v1/filters.ts";
import { withLedgerOrEmpty } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { toBalancePage, VOLUMES_IMPLIED } from "#modules/ledger/http/v1/requests.ts";
import {
  AccountBalancesResponse,
  AggregateQuery,
  BalanceListQuery,
} from "#modules/ledger/http/v1/schemas.ts";
import { toAccountBalancesView } from "#modules/ledger/http/v1/views.ts";
import { BalancesResponse, LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { toBalancesView } from "#modules/ledger/wire/views.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Ledger API v1"];

export function registerBalances(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/balances",
      operationId: "getBalances",
      summary: "List balances by account",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: BalanceListQuery,
      responses: {
        200: json("A page of objects with one account each", cursorOf(AccountBalancesResponse)),
        ...errors(404),
      },
    },
    async ({ params: { ledger }, query, c }) => {
      const wanted = toBalancePage({ ledger, query, settings: deploymentOf(c).settings });
      const expand = { ...VOLUMES_IMPLIED, effectiveVolumes: false };
      const page = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.listAccounts(ledger, wanted, expand),
      );
      return { status: 200, body: toCursorView(mapPage(page, toAccountBalancesView)) };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/aggregate/balances",
      operationId: "getBalancesAggregated",
      summary: "Sum balances over accounts, by asset",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: AggregateQuery,
      responses: {
        200: json("The balance of each asset", dataOf(BalancesResponse)),
        ...errors(404),
      },
    },
    async ({ params: { ledger }, query, c }) => {
      const { pit, useInsertionDate } = query;
      const wanted = { where: aggregateFilter(query), pit, useInsertionDate };
      const balances = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.aggregateBalances(ledger, wanted),
      );
      return { status: 200, body: { data: toBalancesView(balances) } };
    },
  );
}
