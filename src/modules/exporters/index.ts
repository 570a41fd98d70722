import { OpenAPIHono } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { PipelineObject } from "./delivery/pipeline-object.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerExporters } from "./http/exporters.ts";
import { registerPipelines, registerPipelineStates } from "./http/pipelines.ts";
import { pipelineListener } from "./services/event-listener.ts";
import { PipelineService } from "./services/pipeline-service.ts";
import { exporterSettings } from "./settings.ts";
import { EXPORTERS_STATUS } from "./status.ts";
import { PIPELINES_SWEEP } from "./store/reconciler.ts";
import * as tables from "./tables.ts";
import { namedByIds } from "#platform/backup/copied-class.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module } from "#platform/modules/module.ts";
import { objectAt } from "#platform/objects/address.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

const pipelineOf = (env: Env, id: string) => objectAt(env, env.PIPELINES, id);

/**
 * Exporters and pipelines, which send the logs of ledgers to other systems. A folder imports only from folders below it
 * (`scripts/lib/rooms/room-table.ts`):
 *
 *     http        routes, schemas, views
 *     services    use cases of exporters and of pipelines, and the listener that wakes pipelines
 *     delivery    one object for each pipeline: reads the log, sends it, and stores how far it got
 *     store       exporters and pipelines in D1, and the reconciler that tells objects of changes
 *     drivers     one kind of destination each
 *
 * Peculiarities:
 *
 * - D1 says what a pipeline should do, and its object knows how far it got. There is no transaction across the two: every
 *   change increases a revision, of which a reconciler tells the object.
 * - Delivery is at least once and in order: an entry comes again after a failure, never before an earlier one.
 * - New entries wake an idle pipeline. It polls its ledger only in case that fails; see `PipelineObject`.
 */
export const exportersModule: Module = {
  name: "exporters",
  partOf: "ledger",
  resources: [
    {
      name: "Export",
      resources: [
        {
          name: "Exporters",
          description:
            "An exporter is a destination for the logs of ledgers: HTTP, ClickHouse, Elasticsearch, a queue or R2.",
        },
        {
          name: "Pipelines",
          description:
            "A pipeline sends the log of one ledger to an exporter, in order and at least once.",
        },
      ],
    },
  ],
  routes: () => {
    const app = new OpenAPIHono<AppEnv>();
    registerExporters(app);
    registerPipelines(app);
    return app;
  },
  florinRoutes: () => {
    const app = new OpenAPIHono<AppEnv>();
    registerPipelineStates(app);
    return app;
  },
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: exporterSettings,
  tables: tablesIn(tables),
  scopes: {},
  eventListener: pipelineListener((context) => PipelineService.from(context)),
  status: EXPORTERS_STATUS,
  sweeps: [
    {
      name: PIPELINES_SWEEP,
      run: (context) => PipelineService.from(context).sweep(),
      purges: true,
    },
  ],
  classes: { PipelineObject },
  copiedClasses: [
    {
      name: "PipelineObject",
      ...namedByIds(tables.pipelines.id),
      objectOf: pipelineOf,
      restoredBy: pipelineOf,
    },
  ],
};

export {
  deletePipelinesOf,
  resumePipelinesOf,
  wakePipelinesOf,
} from "./services/pipeline-service.ts";
export { PipelineObject, PipelineService, exporterSettings };
