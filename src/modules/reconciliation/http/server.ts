import { z } from "@hono/zod-openapi";
import { healthOperation, infoOperation, ok, registration } from "#platform/http/index.ts";

/** The version of the API, which clients compare. */
export const API_VERSION = "v2.4.2";

const InfoResponse = z
  .object({ version: z.string(), debug: z.boolean() })
  .openapi("ReconciliationInfo", { example: { version: API_VERSION, debug: false } });
const HealthResponse = z.object({ default: z.string() }).openapi("ReconciliationHealth");

export const registerServer = registration(
  infoOperation({
    operationId: "getServerInfo_reconciliation",
    summary: "Show the version of the reconciliation API",
    schema: InfoResponse,
    info: { version: API_VERSION, debug: false },
  }),
  healthOperation({
    operationId: "getReconciliationHealth",
    summary: "Check that the reconciliation API answers",
    answer: ok.plain("It answers", HealthResponse),
    check: () => ({ default: "OK" }),
  }),
);
