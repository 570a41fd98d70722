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
 * Event streams: events as they happen, for somebody who watches. What surprises:
 *
 * - Streams are the best effort, webhooks and pipelines are not. The consumer of events waits a few seconds at most for a
 *   recording that fails, and then leaves it alone for a while. What it could not record becomes an event `gap`.
 * - No write pays for streams that nobody has open: the consumer of events reads one row, at most twice a second.
 * - A stream has no buffer. The last events are in one ring, and each stream knows how far it has come in it.
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
