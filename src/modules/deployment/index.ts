import { OpenAPIHono } from "@hono/zod-openapi";
import examples from "./http/examples.md" with { type: "text" };
import { registerFailedRequests } from "./http/failed-requests.ts";
import { registerWebhookTarget } from "./http/webhook-target.ts";
import { systemClock } from "#platform/clock.ts";
import { failedRequestSettings } from "#platform/failed-requests/failed-request-settings.ts";
import { FAILED_REQUESTS_SWEEP } from "#platform/failed-requests/recorder.ts";
import { FailedRequestStore } from "#platform/failed-requests/store.ts";
import { honourLedgers } from "#platform/http/access.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module, Sweep } from "#platform/modules/module.ts";
import { DeclaredSettings } from "#platform/settings.ts";
import { toMillis } from "#platform/time.ts";

/** The sweep of requests whose retention is over. It goes by the machine's clock, as the dates of requests do. */
const purgeFailedRequests: Sweep = {
  name: FAILED_REQUESTS_SWEEP,
  purges: true,
  run: ({ env }) =>
    FailedRequestStore.from(env).purge(
      toMillis(systemClock()),
      failedRequestSettings.of(env).FLORIN_FAILED_REQUESTS_RETENTION,
    ),
};

/**
 * What the deployment itself does, for those who look after it: the requests that have failed, and the
 * webhook to itself by which a change of its code is tested. The platform records failed requests, because every operation of every module may
 * fail (`platform/http/failures/`).
 */
export const deploymentModule: Module = {
  name: "deployment",
  partOf: "auth",
  routes: () => new OpenAPIHono<AppEnv>(),
  florinRoutes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerFailedRequests(app);
    registerWebhookTarget(app);
    return app;
  },
  resources: [
    {
      name: "Deployment",
      resources: [
        {
          name: "Failed requests",
          description:
            "The last requests that failed, with who sent them and what they were answered. Changes are in the audit and in the logs of ledgers.",
        },
        {
          name: "Smoke test",
          description: "What `npm run deploy` calls when it has changed a deployment.",
        },
        {
          name: "Status",
          description:
            "What waits in each module, since when, why, and what to do; and the same as metrics for Prometheus.",
        },
      ],
    },
  ],
  examples,
  health: async () => {
    // The tables, which the platform checks, are all that it needs.
  },
  settings: new DeclaredSettings({}),
  tables: [],
  scopes: {
    "florin:operate": "See what the deployment itself does, such as the requests that failed",
  },
  sweeps: [purgeFailedRequests],
};
