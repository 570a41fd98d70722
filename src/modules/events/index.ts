import { OpenAPIHono } from "@hono/zod-openapi";
import { liveListener } from "./event-listener.ts";
import { EventStreamObject } from "./event-stream-object.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerEventStream } from "./http/stream.ts";
import { RecordingFlag } from "./recording-flag.ts";
import * as tables from "./tables.ts";
import { honourLedgers } from "#platform/http/access.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module } from "#platform/modules/module.ts";
import { DeclaredSettings } from "#platform/settings.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/**
 * Event streams: events as they happen, for watching.
 *
 *     queue of events ─► consumer ─► EventStreamObject: one ring of the newest events ─┬─► stream ─► client
 *                          │ reads                                                      └─► stream ─► client
 *                          ▼
 *                   row in D1: are events recorded?
 *
 * What surprises:
 *
 * - Streams are best effort; webhooks and pipelines are not. A consumer of events waits a few seconds at most for a recording
 *   that fails, and then does not call it for a while. Events that it could not record become an event `gap`.
 * - No write pays for streams while none is open: an isolate that consumes events reads one row, at most twice a second.
 * - A stream has no buffer. The newest events are in one ring, and each stream has a position in it.
 */
export const eventsModule: Module = {
  name: "events",
  partOf: "webhooks",
  routes: () => new OpenAPIHono<AppEnv>(),
  florinRoutes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerEventStream(app);
    return app;
  },
  resources: [
    {
      name: "Live events",
      resources: [
        {
          name: "Event types",
          description:
            "What happens in the modules, each type with a JSON Schema of what is delivered and an example.",
        },
        {
          name: "Event stream",
          description:
            "Events as they happen, over one open connection. It is made for watching: what must not be missed is for webhooks.",
        },
      ],
    },
  ],
  examples,
  health: async ({ env }) => {
    await new RecordingFlag(env).isSet();
  },
  settings: new DeclaredSettings({}),
  tables: tablesIn(tables),
  scopes: {},
  eventListener: liveListener,
  classes: { EventStreamObject },
};

export { EventStreamObject };
