import { OpenAPIHono } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import examples from "./http/examples.md" with { type: "text" };
import { registerFlorinExpressions } from "./http/florin-expressions.ts";
import { registerFlorinInstances } from "./http/florin-instances.ts";
import { registerFlorinTriggers } from "./http/florin-triggers.ts";
import { registerInstances } from "./http/instances.ts";
import { ORCHESTRATION_RESOURCES } from "./http/resources.ts";
import { API_VERSION } from "./http/schemas.ts";
import { registerServer } from "./http/server.ts";
import { registerTriggers } from "./http/triggers.ts";
import { registerWorkflows } from "./http/workflows.ts";
import { INSTANCE_EVENT_TYPES } from "./instances/event-types.ts";
import * as instances from "./instances/tables.ts";
import { sweepEnded } from "./retention/sweep.ts";
import { InstanceRunnerObject } from "./run/instance-runner-object.ts";
import { InstanceWorkflow } from "./run/instance-workflow.ts";
import { sweepInstances } from "./run/revive.ts";
import { RUNNER_NAME, runnerOf } from "./run/runner.ts";
import { orchestrationSettings } from "./settings.ts";
import { ORCHESTRATION_STATUS } from "./status.ts";
import { INSTANCES_SWEEP, OCCURRENCES_SWEEP } from "./sweep-names.ts";
import { triggerListener } from "./triggers/event-listener.ts";
import { TRIGGER_EVENT_TYPES } from "./triggers/event-types.ts";
import { consumeOccurrences } from "./triggers/firing/queue.ts";
import { sweepOccurrences } from "./triggers/firing/sweep.ts";
import { TriggerLaneObject } from "./triggers/lane/lane-object.ts";
import { laneOf, listOwners } from "./triggers/lane/lanes.ts";
import * as triggers from "./triggers/tables.ts";
import * as workflows from "./workflows/tables.ts";
import { namedByList } from "#platform/backup/copied-class.ts";
import { databaseOf } from "#platform/db/database.ts";
import { TRIGGERS_QUEUE } from "#platform/dead-letters/given-up.ts";
import { honourLedgers } from "#platform/http/access.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/**
 * Orchestration: workflows, their instances, and the triggers that start them. A folder imports only from folders below it
 * (`scripts/lib/rooms/room-table.ts`):
 *
 *     http         requests        retention    deletes instances and occurrences that ended long ago
 *     triggers     events start instances
 *     run          takes instances further, called by requests, by the runner's object and by the platform's Workflows
 *     activities   calls of ledger, payments and wallets
 *     instances    rows of instances, and transitions, each of which is stored in one batch
 *     workflows    rows of workflows
 *     core         what a stage does, as data and as programs that give one activity after the other
 *
 * See `docs/orchestration.md`.
 */
export const orchestrationModule: Module = {
  name: "orchestration",
  version: API_VERSION,
  routes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerServer(app);
    registerWorkflows(app);
    registerInstances(app);
    registerTriggers(app);
    return app;
  },
  florinRoutes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerFlorinInstances(app);
    registerFlorinExpressions(app);
    registerFlorinTriggers(app);
    return app;
  },
  resources: ORCHESTRATION_RESOURCES,
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: orchestrationSettings,
  tables: tablesIn(instances, triggers, workflows),
  scopes: readAndWrite("orchestration", "workflows, their instances and triggers"),
  eventTypes: { ...INSTANCE_EVENT_TYPES, ...TRIGGER_EVENT_TYPES },
  eventListener: triggerListener,
  queues: { [TRIGGERS_QUEUE]: consumeOccurrences },
  status: ORCHESTRATION_STATUS,
  sweeps: [
    { name: INSTANCES_SWEEP, run: sweepInstances, waitsForArming: true },
    { name: OCCURRENCES_SWEEP, run: sweepOccurrences, waitsForArming: true },
    { name: "orchestration-retention", run: sweepEnded, purges: true },
  ],
  classes: { InstanceRunnerObject, InstanceWorkflow, TriggerLaneObject },
  copiedClasses: [
    {
      name: "InstanceRunnerObject",
      ...namedByList(async () => [RUNNER_NAME]),
      objectOf: (env) => runnerOf({ env }),
      // The sweep finds each instance by when it is due in the database, which is the earlier moment.
      restoredBy: "database",
    },
    {
      name: "TriggerLaneObject",
      ...namedByList(listOwners),
      objectOf: laneOf,
      restoredBy: laneOf,
    },
  ],
};

export { InstanceRunnerObject, InstanceWorkflow, TriggerLaneObject };
