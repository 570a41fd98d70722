import type { OpenAPIHono } from "@hono/zod-openapi";
import { HealthResponse, InfoResponse } from "./schemas.ts";
import { AuthStore } from "#modules/auth/registry/store.ts";
import { type AppEnv, endpoint, infoOperation, json } from "#platform/http/index.ts";
import { isHealthy } from "#platform/modules/versions.ts";

/** Registers the version and the health check. */
export function registerServer(app: OpenAPIHono<AppEnv>, version: string): void {
  infoOperation({
    operationId: "getServerInfoAuth",
    summary: "Show the version",
    schema: InfoResponse,
    info: { version, debug: false },
  })(app);
  endpoint(
    app,
    {
      method: "get",
      path: "/_healthcheck",
      operationId: "getHealthAuth",
      summary: "Check whether the module works",
      tags: ["Service"],
      scope: "public",
      responses: {
        200: json("It works", HealthResponse),
        500: json("The database does not answer", HealthResponse),
      },
    },
    async ({ c }) =>
      (await isHealthy("auth", new AuthStore(c.env).check()))
        ? { status: 200, body: { Database: "OK" } }
        : { status: 500, body: { Database: "the database does not answer" } },
  );
}
