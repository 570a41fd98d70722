import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { INTERVALS_MAX, INTERVALS_STANDARD, parseInterval, type Interval } from "#ledger-engine";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { BalanceIntervalResponse, LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { toBalanceIntervalView } from "#modules/ledger/wire/views.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { TimestampParam } from "#platform/http/listing.ts";
import { BooleanParam, dataOf } from "#platform/http/schemas.ts";

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

export function registerBalanceHistory(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/ledgers/{ledger}/balances/history",
      operationId: "florinReadBalanceHistory",
      summary: "Show a balance over time",
      description: `What an account received and sent of an asset in each interval of a period, and its balance at the end of each. An interval includes its start and not its end. Hours, days, weeks and months begin as in the calendar, so the first interval may be shorter than the others, and so may the last one. A period has at most ${INTERVALS_MAX} intervals.`,
      tags: ["Balances"],
      scope: "ledger:read",
      params: LedgerParams,
      query: BalanceHistoryParams,
      bigintAsString: true,
      responses: {
        200: json("The intervals, oldest first", dataOf(z.array(BalanceIntervalResponse))),
        ...errors(404),
      },
    },
    async ({ params, query, c }) => {
      const intervals = await LedgerService.from(c.get("context")).readBalanceHistory(
        params.ledger,
        query,
      );
      return { status: 200, body: { data: intervals.map(toBalanceIntervalView) } };
    },
  );
}
