import { type OpenAPIHono, z } from "@hono/zod-openapi";
import type { Module } from "./module.ts";
import { stateProblems, type StateProblems } from "./state-problems.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type AppEnv, deploymentOf, endpoint, json } from "#platform/http/index.ts";
import { log, logError } from "#platform/log.ts";
import { DATABASE, listLarge, whatToDo } from "#platform/storage/sizes.ts";
import { toMillis } from "#platform/time.ts";
import { builtCommit } from "#platform/upgrade/version.ts";

const VersionsResponse = z
  .object({
    region: z.string(),
    env: z.string(),
    commit: z.string().optional().openapi({
      description:
        "The commit of the sources from which the server was built; absent where it is not known",
    }),
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
            .openapi({ description: "Bytes a day; absent as long as the growth is not known" }),
          whatToDo: z.string(),
        }),
      )
      .optional()
      .openapi({
        description: "Storage that has reached 70 % of its limit; absent if there is none",
      }),
    problems: z.array(z.string()).optional().openapi({
      description:
        "Problems that keep this version from working on the state, a sentence each: migrations of D1 that the version does not know, tables and columns that the state lacks; absent if there are none",
    }),
  })
  .openapi("Versions");

/** `GET /versions`: the modules that have a version of their own, and the health of each. */
export function registerVersions(app: OpenAPIHono<AppEnv>, modules: readonly Module[]): void {
  const findProblems = stateProblems(modules);
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
    async ({ c }) => {
      const context = c.get("context");
      const isLocal = deploymentOf(c).settings.FLORIN_LOCAL;
      const problems = await findProblems(context.env);
      const commit = builtCommit();
      return {
        status: 200,
        body: {
          region: isLocal ? "local" : (c.req.raw.cf?.region?.toString() ?? "unknown"),
          env: isLocal ? "local" : "production",
          ...(commit === undefined ? {} : { commit }),
          ...(await showLarge(context)),
          ...(problems.sentences.length === 0 ? {} : { problems: [...problems.sentences] }),
          versions: await Promise.all(
            modules.flatMap((module) => {
              const { version } = module;
              return version === undefined
                ? []
                : [showHealth({ ...module, version }, context, problems)];
            }),
          ),
        },
      };
    },
  );
}

async function showHealth(
  { name, version, health }: Module & { version: string },
  context: ServiceContext,
  problems: StateProblems,
) {
  const passes = !problems.concern(name) && (await isHealthy(name, health(context)));
  return { name, version, health: passes };
}

/**
 * The database and objects that are near their limit. The answer is public, so it names no ledger. It is empty if the database
 * does not answer, which the health of modules shows.
 */
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
