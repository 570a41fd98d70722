import { z } from "@hono/zod-openapi";
import type { ClearingReport } from "#modules/reconciliation/clearing/report.ts";
import { AGE_BUCKETS } from "#modules/reconciliation/core/clearing/open-items.ts";
import { BigInteger, Count, TimestampOutput } from "#platform/http/index.ts";
import { formatTimestamp } from "#platform/time.ts";

/** Items that an answer shows. Its buckets count all. */
const ITEMS_SHOWN_MAX = 1000;

export const ClearingReportResponse = z
  .object({
    ledger: z.string(),
    account: z.string(),
    at: TimestampOutput,
    by: z.string().optional().openapi({
      description:
        "The key in the metadata of transactions that names items; absent for first in, first out.",
    }),
    assets: z.array(
      z.object({
        asset: z.string(),
        accounts: Count.openapi({ description: "Accounts that have moved the asset." }),
        openAccounts: Count.openapi({ description: "Accounts with a balance." }),
        input: BigInteger,
        output: BigInteger,
        balance: BigInteger.openapi({ description: "The sum of the open items, exactly." }),
        completeness: z.string().openapi({
          description:
            "The share of what passed through that has left again, in per cent with two decimals, rounded down.",
          example: "99.42",
        }),
      }),
    ),
    buckets: z.array(
      z.object({
        asset: z.string(),
        fromDays: Count,
        toDays: Count.optional().openapi({ description: "Absent for the last bucket." }),
        items: Count,
        amount: BigInteger,
      }),
    ),
    items: z
      .array(
        z.object({
          account: z.string(),
          asset: z.string(),
          open: BigInteger.openapi({
            description: "The part of the amount that nothing has cleared.",
          }),
          amount: BigInteger,
          days: Count.openapi({ description: "Whole days since the item is open." }),
          timestamp: TimestampOutput,
          transactionID: BigInteger,
          reference: z.string().optional(),
          item: z.string().optional(),
        }),
      )
      .openapi({ description: `The oldest ${ITEMS_SHOWN_MAX} open items.` }),
    moreItems: Count.openapi({ description: "Open items that are not shown." }),
  })
  .openapi("ClearingReport");

export function toClearingView(report: ClearingReport): z.input<typeof ClearingReportResponse> {
  const { ledger, account, at, itemKey, assets, buckets, items } = report;
  return {
    ledger,
    account,
    at: formatTimestamp(at),
    ...(itemKey === undefined ? {} : { by: itemKey }),
    assets: assets.map(({ open, ...asset }) => ({ ...asset, openAccounts: open })),
    buckets: buckets.map(({ bucket, ...of }) => {
      const { from = 0, to } = AGE_BUCKETS[bucket] ?? {};
      return { ...of, fromDays: from, ...(to === undefined ? {} : { toDays: to }) };
    }),
    items: items.slice(0, ITEMS_SHOWN_MAX).map(({ timestamp, ...item }) => ({
      ...item,
      timestamp: formatTimestamp(timestamp),
    })),
    moreItems: Math.max(0, items.length - ITEMS_SHOWN_MAX),
  };
}
