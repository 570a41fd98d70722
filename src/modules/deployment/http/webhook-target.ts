import { z } from "@hono/zod-openapi";
import { ok, operations, registration } from "#platform/http/index.ts";

const WebhookHeaders = z.object({
  "formance-webhook-id": z
    .string({ error: "expected the header of a webhook" })
    .max(500)
    .openapi({ description: "The id of the delivery, which every webhook has." }),
});

const target = operations({ path: "/webhook-target", tags: ["Smoke test"], scope: "public" });

/**
 * Registers an endpoint that takes webhooks and keeps nothing of them. A deployment sends itself one after each change of its code, which shows
 * that events leave ledgers, pass the queue, and reach the internet.
 */
export const registerWebhookTarget = registration(
  target.post("", {
    operationId: "florinTakeWebhook",
    summary: "Take a webhook, and keep nothing of it",
    description:
      "An endpoint for webhooks of a deployment to itself, by which `npm run deploy` tests it.",
    headers: WebhookHeaders,
    answer: ok.empty("The webhook was taken"),
    handle: () => undefined,
  }),
);
