import { z } from "@hono/zod-openapi";
import { PERIOD_PARAMS } from "./period-params.ts";
import { type LedgerActivity, INTERVALS_MAX } from "#ledger-engine";
import { LedgerOverview } from "#modules/ledger/service/overview.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { Count, ok, operations, registration, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp, optionalTimestamp } from "#platform/time.ts";

const ActivityResponse = z
  .object({
    firstEntryAt: TimestampOutput.optional().openapi({
      description: "The date of the first entry of the log; absent if the log is empty.",
    }),
    lastEntryAt: TimestampOutput.optional().openapi({
      description: "The date of the last entry of the log; absent if the log is empty.",
    }),
    intervals: z
      .array(
        z.object({
          startTime: TimestampOutput,
          endTime: TimestampOutput,
          transactions: Count,
          entries: Count.openapi({
            description: "All entries of the log: those of transactions and all others.",
          }),
        }),
      )
      .openapi({ description: "The intervals, oldest first" }),
  })
  .openapi("LedgerActivity");

const toActivityView = ({
  firstEntryAt,
  lastEntryAt,
  intervals,
}: LedgerActivity): z.input<typeof ActivityResponse> => ({
  ...optionalTimestamp("firstEntryAt", firstEntryAt),
  ...optionalTimestamp("lastEntryAt", lastEntryAt),
  intervals: intervals.map(({ startTime, endTime, transactions, entries }) => ({
    startTime: formatTimestamp(startTime),
    endTime: formatTimestamp(endTime),
    transactions,
    entries,
  })),
});

const ledgers = operations({ tags: ["Ledgers"], scope: "ledger" });

export const registerActivity = registration(
  ledgers.get("/ledgers/{ledger}/activity", {
    operationId: "florinReadActivity",
    summary: "Show how much was written over time",
    description: `The numbers of transactions and of log entries in each interval of a period, by the dates at which they were recorded, and the dates of the first and the last entry of the ledger. An interval includes its start and not its end. Hours, days, weeks and months begin as in the calendar, so the first interval may be shorter than the others, and so may the last one. A period has at most ${INTERVALS_MAX} intervals.`,
    params: LedgerParams,
    query: z.object(PERIOD_PARAMS),
    answer: ok.data("The activity", ActivityResponse, toActivityView),
    errors: [404],
    handle: ({ params, query, context }) =>
      LedgerOverview.from(context).readActivity(params.ledger, query),
  }),
);
