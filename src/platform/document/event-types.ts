import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { EVENT_VERSION, eventName } from "#platform/events/envelope.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module } from "#platform/modules/module.ts";

/** An event type as consumers get it. */
export interface DeliveredEventType {
  /** The name under which webhooks subscribe to the type. */
  readonly name: string;
  /** The name of the module that emits the event. */
  readonly app: string;
  readonly description: string;
  /** The schema of the delivered body, with the envelope. */
  readonly body: z.ZodObject;
  /** An example of the delivered body, with the envelope. */
  readonly example: object;
}

/** The envelope that examples show around a payload. */
const ENVELOPE = { idempotency_key: "", date: "2026-03-01T09:30:00.25Z", version: EVENT_VERSION };

/** The event types of all modules. */
export const deliveredTypesOf = (modules: readonly Module[]): DeliveredEventType[] =>
  modules.flatMap(({ name: app, eventTypes = {} }) =>
    Object.entries(eventTypes).map(([type, { description, payload, example }]) => {
      const name = eventName({ app, type });
      return {
        name,
        app,
        description,
        body: z.object({
          idempotency_key: z.string(),
          date: z.string().openapi({ format: "date-time" }),
          app: z.literal(app),
          version: z.string(),
          type: z.literal(name),
          payload,
        }),
        example: { ...ENVELOPE, app, type: name, payload: example },
      };
    }),
  );

/** Registers a description of each event as a webhook delivers it. */
export function registerEventTypes(app: OpenAPIHono<AppEnv>, modules: readonly Module[]): void {
  for (const { name, description, body, example } of deliveredTypesOf(modules)) {
    app.openAPIRegistry.registerWebhook({
      method: "post",
      path: name,
      summary: name,
      description,
      tags: ["Webhooks"],
      request: { body: { content: { "application/json": { schema: body, example } } } },
      responses: {
        200: { description: "Any status from 200 to 299 says that it was received." },
      },
    });
  }
}
