import { z } from "@hono/zod-openapi";
import type { CloseReport } from "#modules/reconciliation/closing/report.ts";
import {
  type AssetClose,
  OPEN_CLASSES,
  type SideClose,
} from "#modules/reconciliation/core/closing/close-report.ts";
import { dateOf } from "#modules/reconciliation/core/matching/days.ts";
import { BigInteger, Count, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

const LineSum = z.object({ lines: Count, amount: BigInteger });

const ClassSum = LineSum.extend({
  class: z.enum(OPEN_CLASSES).openapi({
    description: "Why the lines are open; `unclassified` for lines that no run has looked at yet.",
  }),
});

const Side = z.object({
  opening: LineSum.openapi({ description: "All lines before the period." }),
  matched: LineSum.openapi({ description: "Lines of the period that are matched." }),
  open: z.array(ClassSum).openapi({ description: "Lines of the period that are not." }),
  closing: LineSum.openapi({ description: "`opening + matched + open`, exactly." }),
  outstanding: z.array(ClassSum).openapi({
    description:
      "All lines up to the end of the period that are not matched, also those before it.",
  }),
});

export const CloseReportResponse = z
  .object({
    matchingID: z.string(),
    name: z.string(),
    left: z.object({ sourceID: z.string(), name: z.string() }),
    right: z.object({ sourceID: z.string(), name: z.string() }),
    from: z.string().openapi({ format: "date" }),
    to: z.string().openapi({ format: "date" }),
    at: TimestampOutput.openapi({ description: "When the report was made." }),
    assets: z.array(
      z.object({
        asset: z.string(),
        left: Side,
        right: Side,
        difference: BigInteger.openapi({
          description:
            "Left less right, of the closing sums: `outstandingDifference + matchedDifference`, exactly.",
        }),
        outstandingDifference: BigInteger.openapi({
          description: "By how much the sides differ because of lines that are not matched.",
        }),
        matchedDifference: BigInteger.openapi({
          description:
            "By how much they differ in what matches allow: fees, tolerances, and partners behind the end of the period.",
        }),
      }),
    ),
  })
  .openapi("CloseReport");

const toSide = ({ open, outstanding, ...of }: SideClose) => ({
  ...of,
  open: [...open],
  outstanding: [...outstanding],
});

const toAsset = ({ left, right, ...of }: AssetClose) => ({
  ...of,
  left: toSide(left),
  right: toSide(right),
});

export const toCloseView = ({
  from,
  to,
  at,
  assets,
  ...report
}: CloseReport): z.input<typeof CloseReportResponse> => ({
  ...report,
  from: dateOf(from),
  to: dateOf(to),
  at: formatTimestamp(at),
  assets: assets.map(toAsset),
});
