import type { OpenAPIHono } from "@hono/zod-openapi";
import { registerAccounts } from "./routes/accounts.ts";
import { registerBalances } from "./routes/balances.ts";
import { registerInfo } from "./routes/info.ts";
import { registerLogs } from "./routes/logs.ts";
import { registerMetadata } from "./routes/metadata.ts";
import { registerScripts } from "./routes/scripts.ts";
import { registerTransactions } from "./routes/transactions.ts";
import type { AppEnv } from "#platform/http/index.ts";

/**
 * Version 1 of the API: older shapes and parameters of the same ledgers, over the same services. Its paths begin with the name of a ledger,
 * so that they are registered last. A path that begins with the prefix of other routes names no ledger.
 */
export function registerV1(app: OpenAPIHono<AppEnv>): void {
  for (const prefix of ["/v2", "/_"]) app.all(`${prefix}/*`, (c) => c.notFound());
  registerInfo(app);
  registerTransactions(app);
  registerScripts(app);
  registerAccounts(app);
  registerMetadata(app);
  registerBalances(app);
  registerLogs(app);
}
