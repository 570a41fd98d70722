import { OpenAPIHono } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { ALERT_EVENT_TYPES_TABLE } from "./alerts/event-types.ts";
import * as alerts from "./alerts/tables.ts";
import { sweepCorrections } from "./corrections/sweep.ts";
import * as corrections from "./corrections/tables.ts";
import { RECONCILIATION_ERRORS } from "./errors.ts";
import * as evaluations from "./evaluations/tables.ts";
import { registerAlerts } from "./http/alerts.ts";
import { registerBreaks } from "./http/breaks/breaks.ts";
import { registerClose } from "./http/breaks/close.ts";
import { registerCorrections } from "./http/breaks/corrections.ts";
import { registerClearing } from "./http/clearing/clearing.ts";
import { registerEvaluations } from "./http/evaluations.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerFlorinOutcomes } from "./http/florin-outcomes.ts";
import { registerFlorinSchedules } from "./http/florin-schedules.ts";
import { registerMatchingGroups } from "./http/matchings/groups.ts";
import { registerMatchings } from "./http/matchings/matchings.ts";
import { registerMatchingPreview } from "./http/matchings/preview.ts";
import { registerPolicies } from "./http/policies.ts";
import { RECONCILIATION_RESOURCES } from "./http/resources.ts";
import { registerRules } from "./http/rules.ts";
import { API_VERSION, registerServer } from "./http/server.ts";
import { registerSources } from "./http/sources/sources.ts";
import { registerStatements } from "./http/sources/statements.ts";
import { matchingObjectOf } from "./matchings/object-calls.ts";
import { MatchingObject } from "./matchings/object/matching-object.ts";
import * as matchings from "./matchings/tables.ts";
import * as policies from "./policies/tables.ts";
import { sweepRetention } from "./retention/sweep.ts";
import * as rules from "./rules/tables.ts";
import { ruleListener } from "./scheduler/listener.ts";
import { repairTimes } from "./scheduler/repair.ts";
import { sweepRules } from "./scheduler/sweep.ts";
import { reconciliationSettings } from "./settings.ts";
import { KEPT_STATEMENTS } from "./sources/kept-files.ts";
import * as sources from "./sources/tables.ts";
import { sourceObjectOf } from "./statements/calls.ts";
import { StatementSourceObject } from "./statements/source-object.ts";
import * as statements from "./statements/tables.ts";
import { RECONCILIATION_STATUS } from "./status.ts";
import { CORRECTIONS_SWEEP, RETENTION_SWEEP, RULES_SWEEP, TIMES_SWEEP } from "./sweep-names.ts";
import { namedByIds } from "#platform/backup/copied-class.ts";
import { databaseOf } from "#platform/db/database.ts";
import { honourLedgers } from "#platform/http/access.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/**
 * Reconciliation: whether the books say what the bank says. A folder imports only from folders below it
 * (`scripts/lib/rooms/room-table.ts`):
 *
 *     http           requests          scheduler    runs rules by cron and on events
 *     matchings      two sources line by line: definitions in D1, lines, groups and runs in an object each
 *     retention      deletes what is old, and what belongs to something deleted
 *     evaluations    a run of a rule: reads balances, compares them, and stores the outcome with its alerts in one batch
 *     breaks         why lines are open, and what people do about that     closing     the close of a period
 *     corrections    bookings that close breaks
 *     clearing       what is left on accounts that ought to go to zero
 *     alerts         rows of alerts and their events, and what people do with them
 *     rules          rows of rules     policies     rows of policies, and their runs
 *     sources        what lines can come from, and how they are read     statements     files of banks and providers
 *     balances       balances of ledgers and pools, and who may read them
 *     core           templates of rules, periods, cron schedules, the states of an alert: rules without I/O
 *
 * See `docs/reconciliation.md`.
 */
export const reconciliationModule: Module = {
  name: "reconciliation",
  version: API_VERSION,
  routes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerServer(app);
    registerPolicies(app);
    registerRules(app);
    registerEvaluations(app);
    registerAlerts(app);
    return app;
  },
  florinRoutes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerFlorinSchedules(app);
    registerFlorinOutcomes(app);
    registerStatements(app);
    registerSources(app);
    registerClearing(app);
    registerBreaks(app);
    registerCorrections(app);
    registerClose(app);
    registerMatchings(app);
    registerMatchingGroups(app);
    registerMatchingPreview(app);
    return app;
  },
  resources: RECONCILIATION_RESOURCES,
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: reconciliationSettings,
  tables: tablesIn(
    alerts,
    corrections,
    evaluations,
    matchings,
    policies,
    rules,
    sources,
    statements,
  ),
  scopes: readAndWrite(
    "reconciliation",
    "policies, rules, their evaluations and alerts, sources, statements and matchings",
  ),
  errors: RECONCILIATION_ERRORS,
  eventTypes: ALERT_EVENT_TYPES_TABLE,
  eventListener: ruleListener,
  status: RECONCILIATION_STATUS,
  sweeps: [
    { name: RULES_SWEEP, run: sweepRules, waitsForArming: true },
    { name: TIMES_SWEEP, run: repairTimes },
    { name: CORRECTIONS_SWEEP, run: sweepCorrections },
    { name: RETENTION_SWEEP, run: sweepRetention, purges: true },
  ],
  classes: { MatchingObject, StatementSourceObject },
  copiedClasses: [
    {
      name: "MatchingObject",
      ...namedByIds(matchings.reconciliationMatchings.id),
      objectOf: matchingObjectOf,
      restoredBy: matchingObjectOf,
    },
    {
      // A source of another kind has an object without tables.
      name: "StatementSourceObject",
      ...namedByIds(sources.reconciliationSources.id),
      objectOf: sourceObjectOf,
      restoredBy: sourceObjectOf,
      files: KEPT_STATEMENTS,
    },
  ],
};

export { MatchingObject, StatementSourceObject };
