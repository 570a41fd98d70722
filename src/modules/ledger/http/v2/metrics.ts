import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { LEDGER_LIST_OPTIONS } from "#modules/catalogue/index.ts";
import { LedgerService } from "#modules/ledger/service/service.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";
import { Count } from "#platform/http/schemas.ts";
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

export function registerMetrics(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/_/metrics",
      operationId: "getMetrics",
      summary: "Show counters of the module",
      tags: ["Service"],
      scope: "ledger:read",
      responses: {
        200: json(
          "The counters",
          z.object({ latestLedgerId: Count.openapi({ description: "0 if there is no ledger." }) }),
        ),
      },
    },
    async ({ c }) => {
      const { data } = await LedgerService.from(c.get("context")).listLedgers(LATEST);
      return { status: 200, body: { latestLedgerId: data[0]?.id ?? 0 } };
    },
  );
}
