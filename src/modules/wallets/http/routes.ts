import { OpenAPIHono } from "@hono/zod-openapi";
import { registerBalances } from "./balances.ts";
import { registerHolds } from "./holds.ts";
import { registerMovements } from "./movements.ts";
import { HealthResponse, InfoResponse } from "./schemas.ts";
import { registerWallets } from "./wallets.ts";
import { walletSettings } from "#modules/wallets/settings.ts";
import { honourLedgers } from "#platform/http/access.ts";
import {
  type AppEnv,
  healthOperation,
  infoOperation,
  ok,
  registration,
} from "#platform/http/index.ts";

/** Version of the API, as clients compare it. */
export const API_VERSION = "v2.2.0";

export function walletRoutes(): OpenAPIHono<AppEnv> {
  const app = honourLedgers(new OpenAPIHono<AppEnv>(), ledgerOf);
  registerService(app);
  registerWallets(app);
  registerBalances(app);
  registerMovements(app);
  registerHolds(app);
  return app;
}

/** The ledger of all wallets. */
const ledgerOf = (env: Env): string => walletSettings.of(env).FLORIN_WALLETS_LEDGER;

const registerService = registration(
  infoOperation({
    operationId: "getServerInfo_wallets",
    summary: "Show the version of the wallets API, and the ledger of the wallets",
    schema: InfoResponse,
    info: (env) => ({ version: API_VERSION, debug: false, ledger: ledgerOf(env) }),
  }),
  healthOperation({
    operationId: "getWalletsHealth",
    summary: "Check that the wallets API answers",
    answer: ok.plain("It answers", HealthResponse),
    check: () => ({}),
  }),
);
