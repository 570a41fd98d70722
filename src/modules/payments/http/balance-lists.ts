import { z } from "@hono/zod-openapi";
import { BALANCE_OPTIONS } from "#modules/payments/balances/list.ts";
import { ListParams, TimestampParam, toPageQuery } from "#platform/http/index.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import type { PlatformSettings } from "#platform/platform-settings.ts";
import type { Timestamp } from "#platform/time.ts";

/** The parameters of lists of balances. A `sort` is ignored: the newest balance always comes first. */
export const BalanceListQuery = ListParams.omit({ sort: true }).extend({
  asset: z.string().optional(),
  from: TimestampParam.openapi({ description: "Leaves out balances that ended before." }),
  to: TimestampParam.openapi({
    description: "Leaves out balances that began later. Without it, this is now.",
  }),
  fromTimestamp: TimestampParam.openapi({ description: "The same as `from`." }),
  toTimestamp: TimestampParam.openapi({ description: "The same as `to`." }),
});

/** The page of balances that a request asks for. */
export function toBalanceQuery(
  query: z.output<typeof BalanceListQuery>,
  { settings, now }: { readonly settings: PlatformSettings; readonly now: Timestamp },
): PageQuery {
  const { cursor, pageSize, asset = "", from, to, fromTimestamp, toTimestamp } = query;
  const options = { asset, from: from ?? fromTimestamp ?? "", to: to ?? toTimestamp ?? now };
  return toPageQuery(
    { cursor, pageSize, options },
    {
      list: "balances",
      columns: { created_at: "date" },
      column: "created_at",
      order: "desc",
      options: BALANCE_OPTIONS,
    },
    settings,
  );
}
