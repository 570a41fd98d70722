import { z } from "@hono/zod-openapi";
import { healthOperation, infoOperation, ok, registration } from "#platform/http/index.ts";

/** The version of the API. Clients use version 3 if this begins with `v3`. */
export const API_VERSION = "v3.1.0";

const InfoResponse = z
  .object({ version: z.string(), debug: z.boolean() })
  .openapi("PaymentsInfo", { example: { version: API_VERSION, debug: false } });

export const registerServer = registration(
  infoOperation({
    operationId: "paymentsgetServerInfo",
    summary: "Show the version of the payments API",
    schema: InfoResponse,
    info: { version: API_VERSION, debug: false },
  }),
  healthOperation({
    operationId: "getPaymentsHealth",
    summary: "Check that the payments API answers",
    answer: ok.empty("It answers", 200),
    check: () => undefined,
  }),
);
