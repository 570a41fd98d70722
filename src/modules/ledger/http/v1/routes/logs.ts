import type { OpenAPIHono } from "@hono/zod-openapi";
import { withLedgerOrEmpty } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { toLogPage } from "#modules/ledger/http/v1/requests.ts";
import { LogListQuery, LogV1Response } from "#modules/ledger/http/v1/schemas.ts";
import { toLogV1Views } from "#modules/ledger/http/v1/views.ts";
import { LedgerParams } from "#modules/ledger/wire/schemas.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { cursorOf, toCursorView } from "#platform/http/schemas.ts";

export function registerLogs(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/logs",
      operationId: "listLogs",
      summary: "List log entries, newest first",
      description:
        "Only those of new transactions and of added metadata: the clients of this version know no others.",
      tags: ["Ledger API v1"],
      scope: "ledger:read",
      params: LedgerParams,
      query: LogListQuery,
      responses: {
        200: json("A page of log entries", cursorOf(LogV1Response)),
        ...errors(404),
      },
    },
    async ({ params: { ledger }, query, c }) => {
      const wanted = toLogPage({ ledger, query, settings: deploymentOf(c).settings });
      const page = await withLedgerOrEmpty(c, ledger, (reader) => reader.listLogs(ledger, wanted));
      return {
        status: 200,
        body: toCursorView({ ...page, data: page.data.flatMap(toLogV1Views) }),
      };
    },
  );
}
