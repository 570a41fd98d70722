import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../../../platform/http/context.ts";
import { endpoint, errors, json } from "../../../../platform/http/endpoint.ts";
import { cursorOf, dataOf, toCursorView } from "../../../../platform/http/schemas.ts";
import { mapPage } from "../../../../platform/pagination.ts";
import { BalancesResponse, LedgerParams } from "../../schemas.ts";
import { toBalancesView } from "../../views.ts";
import { aggregateFilter } from "../filters.ts";
import { inLedger } from "../implicit-ledger.ts";
import { toBalancePage, VOLUMES_IMPLIED } from "../requests.ts";
import { AccountBalancesResponse, AggregateQuery, BalanceListQuery } from "../schemas.ts";
import { toAccountBalancesView } from "../views.ts";

const TAGS = ["ledger v1"];

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
        200: json("A page of objects with an account each", cursorOf(AccountBalancesResponse)),
        ...errors(400, 404),
      },
    },
    async ({ params: { ledger }, query, c }) => {
      const wanted = toBalancePage({ ledger, query, settings: c.var.settings });
      const expand = { ...VOLUMES_IMPLIED, effectiveVolumes: false };
      const page = await inLedger(c, ledger, (service) =>
        service.listAccounts(ledger, wanted, expand),
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
        ...errors(400, 404),
      },
    },
    async ({ params: { ledger }, query, c }) => {
      const { pit, useInsertionDate } = query;
      const wanted = { where: aggregateFilter(query), pit, useInsertionDate };
      const balances = await inLedger(c, ledger, (service) =>
        service.aggregateBalances(ledger, wanted),
      );
      return { status: 200, body: { data: toBalancesView(balances) } };
    },
  );
}
