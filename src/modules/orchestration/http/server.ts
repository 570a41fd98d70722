import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { API_VERSION } from "./schemas.ts";
import type { AppEnv } from "#platform/http/context.ts";
import { endpoint, json } from "#platform/http/endpoint.ts";

const InfoResponse = z
  .object({ version: z.string() })
  .openapi("OrchestrationInfo", { example: { version: API_VERSION } });

const HealthResponse = z.object({ default: z.string() }).openapi("OrchestrationHealth");

export function registerServer(app: OpenAPIHono<AppEnv>): void {
  for (const [path, operationId] of [
    ["/_info", "orchestrationgetServerInfo"],
    ["/v2/_info", "v2GetServerInfo"],
  ] as const) {
    endpoint(
      app,
      {
        method: "get",
        path,
        operationId,
        summary: "Show the version of the orchestration API",
        tags: ["Service"],
        scope: "public",
        responses: { 200: json("The version", InfoResponse) },
      },
      () => ({ status: 200, body: { version: API_VERSION } }),
    );
  }
  endpoint(
    app,
    {
      method: "get",
      path: "/_healthcheck",
      operationId: "getOrchestrationHealth",
      summary: "Check that the orchestration API answers",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("It answers", HealthResponse) },
    },
    () => ({ status: 200, body: { default: "OK" } }),
  );
}
