/**
 * The ledger: transactions between accounts, each ledger in an object of its own. What surprises:
 *
 * - The log of a ledger is the truth. Everything else in its object can be rebuilt from it.
 * - A ledger exists once its row is in the catalogue (D1); the object is made right after, or at its first use if a
 *   crash came between.
 * - Ids of transactions and log entries have gaps: dry runs and refused inserts use them up, as on Formance Ledger.
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../platform/http/context.ts";
import type { Module } from "../../platform/http/module.ts";
import { checkLedgers, LEDGER_VERSION } from "./health.ts";
import { registerAccounts } from "./routes/accounts.ts";
import { registerBalanceHistory } from "./routes/balance-history.ts";
import { registerBulk } from "./routes/bulk.ts";
import { registerLedgers } from "./routes/ledgers.ts";
import { registerLogs } from "./routes/logs.ts";
import { registerNumscript } from "./routes/numscript.ts";
import { registerServiceInfo } from "./routes/service-info.ts";
import { registerTransactions } from "./routes/transactions.ts";
import { registerVerify } from "./routes/verify.ts";
import { registerVolumes } from "./routes/volumes.ts";

export { LedgerAuditObject } from "./object/audit-object.ts";
export { LedgerObject } from "./object/ledger-object.ts";
export { LedgerService } from "./service.ts";

export const ledgerModule: Module = {
  name: "ledger",
  version: LEDGER_VERSION,
  routes: ledgerRoutes,
  florinRoutes,
  check: checkLedgers,
};

/** Fixed paths come before `/v2/{ledger}`, which would take them for names. */
function ledgerRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerServiceInfo(app);
  registerLedgers(app);
  registerBulk(app);
  registerTransactions(app);
  registerAccounts(app);
  registerVolumes(app);
  registerLogs(app);
  return app;
}

/** Florin's own routes, below `/api/florin/v1`. */
function florinRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerNumscript(app);
  registerVerify(app);
  registerBalanceHistory(app);
  return app;
}
