import type { OpenAPIHono } from "@hono/zod-openapi";
import { objectCopyRoutes } from "./object-copies.ts";
import { objectFileRestorationRoutes } from "./object-file-restorations.ts";
import { objectFileRoutes } from "./object-files.ts";
import { objectRestorationRoutes } from "./object-restorations.ts";
import { restorationEndRoutes } from "./restoration-end.ts";
import { type NamedSettings, settingRoutes } from "./settings.ts";
import { storageRoutes } from "./storage.ts";
import { stuckRoutes } from "./stuck.ts";
import { sweepRoutes } from "./sweeps.ts";
import { type AppEnv, registration } from "#platform/http/index.ts";
import type { Module, Sweep } from "#platform/modules/module.ts";
import { PLATFORM_TABLES } from "#platform/modules/platform-tables.ts";

/** What operators look at: the parts of the deployment. */
interface Parts {
  readonly modules: readonly Module[];
  readonly sweeps: readonly Sweep[];
  readonly settings: readonly NamedSettings[];
}

/**
 * Registers what operators do besides reading the status. All of it names ledgers or concerns all of them, so that tokens which are bound to
 * ledgers get nothing.
 */
export function registerOperatorRoutes(
  app: OpenAPIHono<AppEnv>,
  { modules, sweeps, settings }: Parts,
): void {
  const tables = [...PLATFORM_TABLES, ...modules.flatMap((module) => module.tables)];
  const classes = modules.flatMap(({ copiedClasses = [] }) => copiedClasses);
  registration(
    sweepRoutes(sweeps),
    stuckRoutes(modules, sweeps),
    settingRoutes(settings),
    storageRoutes([...new Set(tables)]),
    objectCopyRoutes(classes),
    objectFileRoutes(classes),
    objectRestorationRoutes(classes),
    objectFileRestorationRoutes(classes),
    restorationEndRoutes(modules, sweeps),
  )(app);
}
