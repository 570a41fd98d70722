import { z } from "@hono/zod-openapi";
import { LEDGER_LIST_OPTIONS } from "#modules/catalogue/index.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import { Count, ok, operations, registration } from "#platform/http/index.ts";
import type { PageQuery } from "#platform/paging/query.ts";

/** Selects only the latest ledger, deleted or not, so that the cost does not grow with the number of ledgers. */
const LATEST: PageQuery = {
  kind: "column",
  column: "id",
  order: "desc",
  pageSize: 1,
  reverse: false,
  options: { ...LEDGER_LIST_OPTIONS, IncludeDeleted: true },
};

const metrics = operations({ tags: ["Service"], scope: "ledger" });

export const registerMetrics = registration(
  metrics.get("/_/metrics", {
    operationId: "getMetrics",
    summary: "Show counters of the module",
    answer: ok.plain(
      "The counters",
      z.object({ latestLedgerId: Count.openapi({ description: "0 if there is no ledger." }) }),
    ),
    handle: async ({ context }) => {
      const { data } = await LedgerService.from(context).listLedgers(LATEST);
      return { latestLedgerId: data[0]?.id ?? 0 };
    },
  }),
);
