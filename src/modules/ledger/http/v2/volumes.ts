import type { OpenAPIHono } from "@hono/zod-openapi";
import { rulesOf, toCountQuery } from "#modules/ledger/http/requests.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import {
  BalancesQuery,
  BalancesResponse,
  FilterBody,
  LedgerParams,
  VolumeListQuery,
  VolumeRowResponse,
} from "#modules/ledger/wire/schemas.ts";
import { toBalancesView, toVolumeRowView } from "#modules/ledger/wire/views.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { filterOf, toPageQuery } from "#platform/http/listing.ts";
import { cursorOf, dataOf, toCursorView } from "#platform/http/schemas.ts";
import { mapPage } from "#platform/paging/pagination.ts";

const TAGS = ["Balances"];

export function registerVolumes(app: OpenAPIHono<AppEnv>): void {
  registerList(app);
  registerBalances(app);
}

function registerList(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/volumes",
      operationId: "v2GetVolumesWithBalances",
      summary: "List volumes by account and asset",
      description:
        "Without a period, the volumes of all time. With one, the volumes of that period, both ends included; accounts that moved nothing in it are absent.",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: VolumeListQuery,
      body: FilterBody,
      bigintAsString: true,
      responses: {
        200: json("A page of volumes", cursorOf(VolumeRowResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, body, c }) => {
      const { startTime, endTime, insertionDate, groupBy, ...list } = query;
      const wanted = toPageQuery(
        {
          ...list,
          where: filterOf(query, body),
          oot: startTime ?? list.oot,
          pit: endTime ?? list.pit,
          options: { insertionDate, groupBy },
        },
        rulesOf(params.ledger, "volumes"),
        deploymentOf(c).settings,
      );
      const page = await LedgerService.from(c.get("context")).listVolumes(params.ledger, wanted);
      return { status: 200, body: toCursorView(mapPage(page, toVolumeRowView)) };
    },
  );
}

function registerBalances(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/v2/{ledger}/aggregate/balances",
      operationId: "v2GetBalancesAggregated",
      summary: "Sum balances over accounts, by asset",
      tags: TAGS,
      scope: "ledger:read",
      params: LedgerParams,
      query: BalancesQuery,
      body: FilterBody,
      bigintAsString: true,
      responses: {
        200: json("The balance of each asset", dataOf(BalancesResponse)),
        ...errors(404),
      },
    },
    async ({ params, query, body, c }) => {
      const balances = await LedgerService.from(c.get("context")).aggregateBalances(params.ledger, {
        ...toCountQuery(query, body),
        useInsertionDate: query.useInsertionDate || query.use_insertion_date,
      });
      return { status: 200, body: { data: toBalancesView(balances) } };
    },
  );
}
