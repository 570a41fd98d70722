import { z } from "@hono/zod-openapi";
import { API_VERSION } from "./schemas.ts";
import { healthOperation, infoOperation, ok, registration } from "#platform/http/index.ts";

const INFO = {
  summary: "Show the version of the orchestration API",
  schema: z
    .object({ version: z.string() })
    .openapi("OrchestrationInfo", { example: { version: API_VERSION } }),
  info: { version: API_VERSION },
};

const HealthResponse = z.object({ default: z.string() }).openapi("OrchestrationHealth");

export const registerServer = registration(
  infoOperation({ operationId: "orchestrationgetServerInfo", ...INFO }),
  infoOperation({ path: "/v2/_info", operationId: "v2GetServerInfo", ...INFO }),
  healthOperation({
    operationId: "getOrchestrationHealth",
    summary: "Check that the orchestration API answers",
    answer: ok.plain("It answers", HealthResponse),
    check: () => ({ default: "OK" }),
  }),
);
