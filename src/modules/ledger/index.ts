import { OpenAPIHono } from "@hono/zod-openapi";
import { BUCKETS_SWEEP } from "./buckets/context.ts";
import { BucketService } from "./buckets/service.ts";
import { ledgerSource, rereadLedgerEvents } from "./event-source.ts";
import { LEDGER_EVENT_TYPES } from "./event-types.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerAccountTree } from "./http/florin/account-tree.ts";
import { registerActivity } from "./http/florin/activity.ts";
import { registerBalanceHistory } from "./http/florin/balance-history.ts";
import { registerImportNotes } from "./http/florin/import-notes.ts";
import { registerLogAuthor } from "./http/florin/log-author.ts";
import { registerNumscript } from "./http/florin/numscript.ts";
import { registerRestoredLedgers } from "./http/florin/restored-ledgers.ts";
import { registerSavedLedgers } from "./http/florin/saved-ledgers.ts";
import { registerLedgerStream } from "./http/florin/stream.ts";
import { registerVerify } from "./http/florin/verify.ts";
import { LEDGER_RESOURCES } from "./http/resources.ts";
import { registerV1 } from "./http/v1/index.ts";
import { registerAccounts } from "./http/v2/accounts.ts";
import { registerBucketList, registerBuckets } from "./http/v2/buckets.ts";
import { registerBulk } from "./http/v2/bulk.ts";
import { registerLedgers } from "./http/v2/ledgers.ts";
import { registerLogs } from "./http/v2/logs.ts";
import { registerMetrics } from "./http/v2/metrics.ts";
import { registerQueries } from "./http/v2/queries.ts";
import { registerSchemas } from "./http/v2/schemas.ts";
import { registerServiceInfo } from "./http/v2/service-info.ts";
import { registerTransactions } from "./http/v2/transactions.ts";
import { registerVolumes } from "./http/v2/volumes.ts";
import { LedgerEvents } from "./ledger-events.ts";
import { LedgerAuditObject } from "./objects/audit-object.ts";
import { LedgerObject } from "./objects/ledger-object.ts";
import { checkLedgers, LEDGER_VERSION } from "./service/health.ts";
import { LedgerService } from "./service/service.ts";
import { ledgerSettings } from "./settings.ts";
import { LEDGER_STATUS } from "./status.ts";
import { LEDGER_ERRORS } from "#ledger-engine";
import { deletePurgedLedgerSizes, ledgers } from "#modules/catalogue/index.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";

export { LedgerClient } from "./client/client.ts";
export type {
  AccountBalance,
  KeyedWrite,
  LedgerCreation,
  LedgerList,
  LedgerListOptions,
  LedgerPageRequest,
  LedgerScope,
  NewCommit,
  NewRun,
  NewTemplateRun,
  KeyedTemplateRun,
  TemplateShape,
} from "./client/types.ts";
export type { Account as LedgerAccount, Transaction as LedgerTransaction } from "#library/index.ts";
export { LedgerAuditObject, LedgerObject, LedgerService, rereadLedgerEvents };

/**
 * The ledger: transactions between accounts, each ledger in an object of its own. A folder imports only from folders below it
 * (`scripts/lib/rooms/room-table.ts`):
 *
 *     http       v1, v2, florin                                          client     the client of other modules
 *     service    the use cases
 *     live       streams of a ledger, which the Worker holds
 *     objects    the ledger's object and the one that audits it
 *     answers    reads and writes whose answers the object has written, on both sides of the call
 *     bulk       streams of elements, and of a log that is imported
 *     wire       the bodies of requests and answers                      buckets    groups of ledgers that are deleted and restored
 *
 * Peculiarities:
 *
 * - The log of a ledger is the truth. Everything else in its object can be rebuilt from it.
 * - A ledger exists once its row is in the catalogue (D1); its object is created right after, or at its first use if a
 *   crash came between.
 * - A ledger is deleted, with its bucket, once its row says so; its object is told right after, see `BucketService`.
 * - Ids of transactions and log entries have gaps: dry runs and refused inserts use them up, as in the reference.
 */
export const ledgerModule: Module = {
  name: "ledger",
  version: LEDGER_VERSION,
  routes: ledgerRoutes,
  florinRoutes,
  resources: LEDGER_RESOURCES,
  examples,
  health: checkLedgers,
  settings: ledgerSettings,
  tables: [ledgers],
  errors: LEDGER_ERRORS,
  eventTypes: LEDGER_EVENT_TYPES,
  scopes: readAndWrite("ledger", "ledgers and everything in them, exporters and pipelines"),
  eventSource: ledgerSource(({ env }) => new LedgerEvents(env)),
  status: LEDGER_STATUS,
  sweeps: [
    { name: "ledger-sizes", run: deletePurgedLedgerSizes },
    { name: BUCKETS_SWEEP, run: (context) => BucketService.from(context).sweep(), purges: true },
  ],
  classes: { LedgerObject, LedgerAuditObject },
};

/**
 * Registers the routes. Fixed paths come before `/v2/{ledger}` and, at the end, `/{ledger}`, which would take them for names of ledgers.
 */
function ledgerRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerServiceInfo(app);
  registerMetrics(app);
  registerBuckets(app);
  registerLedgers(app);
  registerTransactions(app);
  registerBulk(app);
  registerAccounts(app);
  registerVolumes(app);
  registerLogs(app);
  registerSchemas(app);
  registerQueries(app);
  registerV1(app);
  return app;
}

/** Florin's own routes, below `/api/florin/v1`. */
function florinRoutes(): OpenAPIHono<AppEnv> {
  const app = new OpenAPIHono<AppEnv>();
  registerNumscript(app);
  registerVerify(app);
  registerBalanceHistory(app);
  registerActivity(app);
  registerAccountTree(app);
  registerLogAuthor(app);
  registerImportNotes(app);
  registerLedgerStream(app);
  registerBucketList(app);
  registerSavedLedgers(app);
  registerRestoredLedgers(app);
  return app;
}
