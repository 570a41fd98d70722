import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { eventName } from "#platform/events/envelope.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module } from "#platform/modules/module.ts";

/** The envelope that examples show around a payload. */
const ENVELOPE = { idempotency_key: "", date: "2026-03-01T09:30:00.25Z", version: "v2" };

/** Describes every event as a webhook delivers it. */
export function registerEventTypes(app: OpenAPIHono<AppEnv>, modules: readonly Module[]): void {
  for (const { name: module, eventTypes = {} } of modules) {
    for (const [type, { description, payload, example }] of Object.entries(eventTypes)) {
      const name = eventName({ app: module, type });
      const body = z.object({
        idempotency_key: z.string(),
        date: z.string().openapi({ format: "date-time" }),
        app: z.literal(module),
        version: z.string(),
        type: z.literal(name),
        payload,
      });
      app.openAPIRegistry.registerWebhook({
        method: "post",
        path: name,
        summary: name,
        description,
        tags: ["Webhooks"],
        request: {
          body: {
            content: {
              "application/json": {
                schema: body,
                example: { ...ENVELOPE, app: module, type: name, payload: example },
              },
            },
          },
        },
        responses: {
          200: { description: "Any status from 200 to 299 says that it was received." },
        },
      });
    }
  }
}
