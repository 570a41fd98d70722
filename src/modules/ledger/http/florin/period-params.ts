import { z } from "@hono/zod-openapi";
import { INTERVALS_STANDARD, parseInterval, type Interval } from "#ledger-engine";
import { TimestampParam } from "#platform/http/index.ts";

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

/** The parameters of a period that is divided into intervals. */
export const PERIOD_PARAMS = {
  interval: IntervalParam,
  startTime: TimestampParam.openapi({
    description: `Start of the first interval. By default, ${INTERVALS_STANDARD} intervals end at \`endTime\`.`,
  }),
  endTime: TimestampParam.openapi({
    description:
      "End of the last interval, which does not include this date; by default it is now.",
  }),
};
