import { OpenAPIHono } from "@hono/zod-openapi";
import { sql } from "drizzle-orm";
import { pipelineListener } from "./event-listener.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerExporters } from "./http/exporters.ts";
import { registerPipelines, registerPipelineStates } from "./http/pipelines.ts";
import { PipelineObject } from "./pipeline-object.ts";
import { PipelineService } from "./pipeline-service.ts";
import { PIPELINES_SWEEP } from "./reconciler.ts";
import { exporterSettings } from "./settings.ts";
import * as tables from "./tables.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module } from "#platform/modules/module.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/**
 * Exporters and pipelines, which send the logs of ledgers to other systems. Their peculiarities:
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
  sweeps: [
    {
      name: PIPELINES_SWEEP,
      run: (context) => PipelineService.from(context).sweep(),
      purges: true,
    },
  ],
  classes: { PipelineObject },
};

export { deletePipelinesOf, resumePipelinesOf, wakePipelinesOf } from "./pipeline-service.ts";
export { PipelineObject, PipelineService, exporterSettings };
