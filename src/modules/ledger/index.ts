/**
 * The ledger: transactions between accounts, each ledger in an object of its own. What surprises:
 *
 * - The log of a ledger is the truth. Everything else in its object can be rebuilt from it.
 * - A ledger exists once its row is in the catalogue (D1); the object is made right after, or at its first use if a
 *   crash came between.
 * - A ledger is deleted, with its bucket, once its row says so; its object hears of it right after, see `BucketService`.
 * - Ids of transactions and log entries have gaps: dry runs and refused inserts use them up, as on Formance Ledger.
 */
import { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../platform/http/context.ts";
import type { Module } from "../../platform/http/module.ts";
import { checkLedgers, LEDGER_VERSION } from "./health.ts";
import { registerAccounts } from "./routes/accounts.ts";
import { registerBalanceHistory } from "./routes/balance-history.ts";
import { registerBucketList, registerBuckets } from "./routes/buckets.ts";
import { registerBulk } from "./routes/bulk.ts";
import { registerExporters } from "./routes/exporters.ts";
import { registerLedgers } from "./routes/ledgers.ts";
import { registerLogs } from "./routes/logs.ts";
import { registerMetrics } from "./routes/metrics.ts";
import { registerNumscript } from "./routes/numscript.ts";
import { registerPipelines, registerPipelineStates } from "./routes/pipelines.ts";
import { registerQueries } from "./routes/queries.ts";
import { registerSchemas } from "./routes/schemas.ts";
import { registerServiceInfo } from "./routes/service-info.ts";
import { registerTransactions } from "./routes/transactions.ts";
import { registerVerify } from "./routes/verify.ts";
import { registerVolumes } from "./routes/volumes.ts";
import { registerV1 } from "./v1/index.ts";

export { BucketService } from "./buckets/service.ts";
export { LedgerAuditObject } from "./object/audit-object.ts";
export { LedgerObject } from "./object/ledger-object.ts";
export { PipelineObject, PipelineService } from "./pipelines/index.ts";
export { LedgerService } from "./service.ts";

export const ledgerModule: Module = {
  name: "ledger",
  version: LEDGER_VERSION,
  routes: ledgerRoutes,
  florinRoutes,
  check: checkLedgers,
};

/** Fixed paths come before `/v2/{ledger}` and, at the end, `/{ledger}`, which would take them for names. */
function ledgerRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerServiceInfo(app);
  registerMetrics(app);
  registerBuckets(app);
  registerExporters(app);
  registerLedgers(app);
  registerBulk(app);
  registerTransactions(app);
  registerAccounts(app);
  registerVolumes(app);
  registerLogs(app);
  registerSchemas(app);
  registerQueries(app);
  registerPipelines(app);
  registerV1(app);
  return app;
}

/** Florin's own routes, below `/api/florin/v1`. */
function florinRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerNumscript(app);
  registerVerify(app);
  registerBalanceHistory(app);
  registerBucketList(app);
  registerPipelineStates(app);
  return app;
}
