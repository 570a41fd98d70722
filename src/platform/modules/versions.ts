import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Module } from "./module.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";
import { log } from "#platform/log.ts";

const VersionsResponse = z
  .object({
    region: z.string(),
    env: z.string(),
    versions: z.array(z.object({ name: z.string(), version: z.string(), health: z.boolean() })),
  })
  .openapi("Versions");

/** `GET /versions`: the modules that have a version of their own, and the health of each. */
export function registerVersions(app: OpenAPIHono<AppEnv>, modules: readonly Module[]): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/versions",
      operationId: "getVersions",
      summary: "Show the version and health of each module",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("The modules", VersionsResponse) },
    },
    async ({ c }) => ({
      status: 200,
      body: {
        region: deploymentOf(c).settings.FLORIN_LOCAL
          ? "local"
          : (c.req.raw.cf?.region?.toString() ?? "unknown"),
        env: deploymentOf(c).settings.FLORIN_LOCAL ? "local" : "production",
        versions: await Promise.all(
          modules.flatMap((module) => {
            const { version } = module;
            return version === undefined
              ? []
              : [showHealth({ ...module, version }, c.get("context"))];
          }),
        ),
      },
    }),
  );
}

async function showHealth(
  { name, version, health }: Module & { version: string },
  context: ServiceContext,
) {
  return { name, version, health: await isHealthy(name, health(context)) };
}

/** Whether a check passes. The error goes to the operator's log, because the answer is public. */
export async function isHealthy(name: string, check: Promise<void>): Promise<boolean> {
  try {
    await check;
    return true;
  } catch (error) {
    log("error", "health check failed", {
      module: name,
      error: error instanceof Error ? error.message : String(error),
    });
    return false;
  }
}
