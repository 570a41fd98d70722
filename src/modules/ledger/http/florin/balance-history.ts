import { z } from "@hono/zod-openapi";
import { PERIOD_PARAMS } from "./period-params.ts";
import { INTERVALS_MAX } from "#ledger-engine";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { BalanceIntervalResponse, LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { toBalanceIntervalView } from "#modules/ledger/wire/views.ts";
import { BooleanParam, ok, operations, registration } from "#platform/http/index.ts";

const BalanceHistoryParams = z.object({
  account: z.string().openapi({ description: "The address of an account.", example: "users:42" }),
  asset: z.string().openapi({ example: "EUR/2" }),
  ...PERIOD_PARAMS,
  insertionDate: BooleanParam.openapi({
    description:
      "Uses the dates at which transactions were recorded instead of the effective dates.",
  }),
});

const balances = operations({ tags: ["Balances"], scope: "ledger" });

export const registerBalanceHistory = registration(
  balances.get("/ledgers/{ledger}/balances/history", {
    operationId: "florinReadBalanceHistory",
    summary: "Show a balance over time",
    description: `What an account received and sent of an asset in each interval of a period, and its balance at the end of each. An interval includes its start and not its end. Hours, days, weeks and months begin as in the calendar, so the first interval may be shorter than the others, and so may the last one. A period has at most ${INTERVALS_MAX} intervals.`,
    params: LedgerParams,
    query: BalanceHistoryParams,
    bigintAsString: true,
    answer: ok.list("The intervals, oldest first", BalanceIntervalResponse, toBalanceIntervalView),
    errors: [404],
    handle: ({ params, query, context }) =>
      LedgerService.from(context).readBalanceHistory(params.ledger, query),
  }),
);
