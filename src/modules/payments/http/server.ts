import type { OpenAPIHono } from "@hono/zod-openapi";
import { z } from "@hono/zod-openapi";
import type { AppEnv } from "#platform/http/context.ts";
import { empty, endpoint, json } from "#platform/http/endpoint.ts";

/** The version of the API. Clients use version 3 if this begins with `v3`. */
export const API_VERSION = "v3.1.0";

const InfoResponse = z
  .object({ version: z.string(), debug: z.boolean() })
  .openapi("PaymentsInfo", { example: { version: API_VERSION, debug: false } });

export function registerServer(app: OpenAPIHono<AppEnv>): void {
  endpoint(
    app,
    {
      method: "get",
      path: "/_info",
      operationId: "paymentsgetServerInfo",
      summary: "Show the version of the payments API",
      tags: ["Service"],
      scope: "public",
      responses: { 200: json("The version", InfoResponse) },
    },
    () => ({ status: 200, body: { version: API_VERSION, debug: false } }),
  );
  endpoint(
    app,
    {
      method: "get",
      path: "/_healthcheck",
      operationId: "getPaymentsHealth",
      summary: "Check that the payments API answers",
      tags: ["Service"],
      scope: "public",
      responses: { 200: empty("It answers") },
    },
    () => ({ status: 200 }),
  );
}
