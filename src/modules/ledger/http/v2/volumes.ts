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
import {
  deploymentOf,
  filterOf,
  ok,
  operations,
  registration,
  toPageQuery,
} from "#platform/http/index.ts";

const volumes = operations({ path: "/v2", tags: ["Balances"], scope: "ledger" });

export const registerVolumes = registration(
  volumes.get("/{ledger}/volumes", {
    operationId: "v2GetVolumesWithBalances",
    summary: "List volumes by account and asset",
    description:
      "Without a period, the volumes of all time. With one, the volumes of that period, both ends included; accounts that moved nothing in it are absent.",
    params: LedgerParams,
    query: VolumeListQuery,
    body: FilterBody,
    bigintAsString: true,
    answer: ok.page("A page of volumes", VolumeRowResponse, toVolumeRowView),
    errors: [404],
    handle: ({ params, query, body, context, c }) => {
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
      return LedgerService.from(context).listVolumes(params.ledger, wanted);
    },
  }),
  volumes.get("/{ledger}/aggregate/balances", {
    operationId: "v2GetBalancesAggregated",
    summary: "Sum balances over accounts, by asset",
    params: LedgerParams,
    query: BalancesQuery,
    body: FilterBody,
    bigintAsString: true,
    answer: ok.data("The balance of each asset", BalancesResponse, toBalancesView),
    errors: [404],
    handle: ({ params, query, body, context }) =>
      LedgerService.from(context).aggregateBalances(params.ledger, {
        ...toCountQuery(query, body),
        useInsertionDate: query.useInsertionDate || query.use_insertion_date,
      }),
  }),
);
