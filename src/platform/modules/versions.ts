import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Module } from "./module.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type AppEnv, deploymentOf } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";
import { log, logError } from "#platform/log.ts";
import { DATABASE, listLarge, whatToDo } from "#platform/storage/sizes.ts";
import { toMillis } from "#platform/time.ts";

const VersionsResponse = z
  .object({
    region: z.string(),
    env: z.string(),
    versions: z.array(z.object({ name: z.string(), version: z.string(), health: z.boolean() })),
    storage: z
      .array(
        z.object({
          what: z.enum(["database", "object"]).openapi({
            description: "The D1 database, or the object of one ledger, whose name is in the log",
          }),
          bytes: z.int(),
          limitBytes: z.int(),
          growthPerDay: z
            .int()
            .optional()
            .openapi({ description: "Bytes a day; absent as long as it is not known" }),
          whatToDo: z.string(),
        }),
      )
      .optional()
      .openapi({ description: "What has reached 70 % of its limit; absent where nothing has" }),
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
        ...(await showLarge(c.get("context"))),
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

/** What is near its limit. The answer is public: it names no ledger. A database that does not answer is told of by the health of others. */
async function showLarge({
  env,
  clock,
}: ServiceContext): Promise<Pick<z.input<typeof VersionsResponse>, "storage">> {
  try {
    const large = await listLarge(databaseOf(env), toMillis(clock()));
    if (large.length === 0) return {};
    return {
      storage: large.map((one) => ({
        what: one.name === DATABASE ? "database" : "object",
        bytes: one.bytes,
        limitBytes: one.limitBytes,
        growthPerDay: one.growthPerDay,
        whatToDo: whatToDo(one),
      })),
    };
  } catch (error) {
    logError("the sizes of the database and of ledgers could not be read", error);
    return {};
  }
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
