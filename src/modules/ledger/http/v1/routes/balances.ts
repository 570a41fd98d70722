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
import { deploymentOf, ok, operations, registration } from "#platform/http/index.ts";

const balances = operations({ tags: ["Ledger API v1"], scope: "ledger" });

export const registerBalances = registration(
  balances.get("/{ledger}/balances", {
    operationId: "getBalances",
    summary: "List balances by account",
    params: LedgerParams,
    query: BalanceListQuery,
    answer: ok.page(
      "A page of objects with one account each",
      AccountBalancesResponse,
      toAccountBalancesView,
    ),
    errors: [404],
    handle: ({ params: { ledger }, query, c }) => {
      const wanted = toBalancePage({ ledger, query, settings: deploymentOf(c).settings });
      const expand = { ...VOLUMES_IMPLIED, effectiveVolumes: false };
      return withLedgerOrEmpty(c, ledger, (reader) => reader.listAccounts(ledger, wanted, expand));
    },
  }),
  balances.get("/{ledger}/aggregate/balances", {
    operationId: "getBalancesAggregated",
    summary: "Sum balances over accounts, by asset",
    params: LedgerParams,
    query: AggregateQuery,
    answer: ok.data("The balance of each asset", BalancesResponse, toBalancesView),
    errors: [404],
    handle: ({ params: { ledger }, query, c }) => {
      const { pit, useInsertionDate } = query;
      const wanted = { where: aggregateFilter(query), pit, useInsertionDate };
      return withLedgerOrEmpty(c, ledger, (reader) => reader.aggregateBalances(ledger, wanted));
    },
  }),
);
