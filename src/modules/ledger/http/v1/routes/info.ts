import type { OpenAPIHono } from "@hono/zod-openapi";
import { withLedgerOrEmpty } from "#modules/ledger/http/v1/implicit-ledger.ts";
import { LedgerInfoResponse, LedgerParams, StatsResponse } from "#modules/ledger/wire/schemas.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, errors, json } from "#platform/http/endpoint.ts";
import { dataOf } from "#platform/http/schemas.ts";

export function registerInfo(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/_info",
      operationId: "getLedgerInfo",
      summary: "Show how a ledger is stored",
      tags: ["Ledger API v1"],
      scope: "ledger:read",
      params: LedgerParams,
      responses: { 200: json("Its migrations", dataOf(LedgerInfoResponse)), ...errors(404) },
    },
    async ({ params: { ledger }, c }) => {
      const migrations = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.listMigrations(ledger),
      );
      return { status: 200, body: { data: { name: ledger, storage: { migrations } } } };
    },
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/{ledger}/stats",
      operationId: "readStats",
      summary: "Count what a ledger holds",
      tags: ["Ledger API v1"],
      scope: "ledger:read",
      params: LedgerParams,
      responses: { 200: json("The counts", dataOf(StatsResponse)), ...errors(404) },
    },
    async ({ params: { ledger }, c }) => {
      const { transactions, accounts } = await withLedgerOrEmpty(c, ledger, (reader) =>
        reader.countLedger(ledger),
      );
      return { status: 200, body: { data: { transactions, accounts } } };
    },
  );
}
