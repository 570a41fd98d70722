import { z } from "@hono/zod-openapi";
import { INTERVALS_MAX, INTERVALS_STANDARD, parseInterval, type Interval } from "#ledger-engine";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { BalanceIntervalResponse, LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { toBalanceIntervalView } from "#modules/ledger/wire/views.ts";
import {
  BooleanParam,
  ok,
  operations,
  registration,
  TimestampParam,
} from "#platform/http/index.ts";

const IntervalParam = z
  .string()
  .transform((text, context): Interval => {
    const interval = parseInterval(text);
    if (interval !== undefined) return interval;
    context.addIssue("expected hour, day, week, month or a duration such as 15m");
    return z.NEVER;
  })
  .openapi({
    type: "string",
    description:
      "`hour`, `day`, `week` (from Monday on) or `month` of the calendar in UTC, or a duration such as `15m` or `1h30m`.",
    example: "day",
  });

const BalanceHistoryParams = z.object({
  account: z.string().openapi({ description: "The address of an account.", example: "users:42" }),
  asset: z.string().openapi({ example: "EUR/2" }),
  interval: IntervalParam,
  startTime: TimestampParam.openapi({
    description: `Start of the first interval. By default, ${INTERVALS_STANDARD} intervals end at \`endTime\`.`,
  }),
  endTime: TimestampParam.openapi({
    description:
      "End of the last interval, which does not include this date; by default it is now.",
  }),
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
