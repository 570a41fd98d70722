import { OpenAPIHono } from "@hono/zod-openapi";
import { registerBalances } from "./balances.ts";
import { registerHolds } from "./holds.ts";
import { registerMovements } from "./movements.ts";
import { HealthResponse, InfoResponse } from "./schemas.ts";
import { registerWallets } from "./wallets.ts";
import { walletSettings } from "#modules/wallets/settings.ts";
import { honourLedgers } from "#platform/http/access.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";

/** Version of the API, as clients compare it. */
export const API_VERSION = "v2.2.0";

export function walletRoutes(): OpenAPIHono<AppEnv> {
  const app = honourLedgers(
    new OpenAPIHono<AppEnv>(),
    (env) => walletSettings.of(env).FLORIN_WALLETS_LEDGER,
  );
  registerService(app);
  registerWallets(app);
  registerBalances(app);
  registerMovements(app);
  registerHolds(app);
  return app;
}

function registerService(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/_info",
      operationId: "getServerInfo_wallets",
      summary: "Show the version of the wallets API",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("The version", InfoResponse) },
    },
    () => ({ status: 200, body: { version: API_VERSION, debug: false } }),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/_healthcheck",
      operationId: "getWalletsHealth",
      summary: "Check that the wallets API answers",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("It answers", HealthResponse) },
    },
    () => ({ status: 200, body: {} }),
  );
}
