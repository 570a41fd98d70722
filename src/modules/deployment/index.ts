import { OpenAPIHono } from "@hono/zod-openapi";
import { armingSection } from "./arming/status.ts";
import { endDatabaseCopies } from "./backup/database-copy.ts";
import { beginBackups } from "./backup/own-backups.ts";
import { backupsSection } from "./backup/status.ts";
import { registerArming } from "./http/arming.ts";
import { registerBackups } from "./http/backups.ts";
import { registerBucketBackups } from "./http/bucket-backups.ts";
import { registerBucketFiles } from "./http/bucket-files.ts";
import { registerDatabaseCopies } from "./http/database-copies.ts";
import { registerDeadLetters } from "./http/dead-letters.ts";
import examples from "./http/examples.md" with { type: "text" };
import { registerFailedRequests } from "./http/failed-requests.ts";
import { registerRestorations } from "./http/restorations.ts";
import { registerWebhookTarget } from "./http/webhook-target.ts";
import { restorationSection } from "./restoration/status.ts";
import { deploymentSettings } from "./settings.ts";
import { deadLettersSection } from "./status.ts";
import { systemClock } from "#platform/clock.ts";
import { DEAD_LETTERS_SWEEP } from "#platform/dead-letters/given-up.ts";
import { sweepDeadLetters } from "#platform/dead-letters/retrying.ts";
import { failedRequestSettings } from "#platform/failed-requests/failed-request-settings.ts";
import { FAILED_REQUESTS_SWEEP } from "#platform/failed-requests/recorder.ts";
import { FailedRequestStore } from "#platform/failed-requests/store.ts";
import { honourLedgers } from "#platform/http/access.ts";
import type { AppEnv } from "#platform/http/context.ts";
import type { Module, Sweep } from "#platform/modules/module.ts";
import { toMillis } from "#platform/time.ts";

export { deploymentSettings };

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

/** The sweep of messages that a queue has given up. */
const sendDeadLettersAgain: Sweep = {
  name: DEAD_LETTERS_SWEEP,
  purges: true,
  run: sweepDeadLetters,
};

/**
 * What the deployment itself does, for those who look after it: the requests that have failed, the messages that a queue has given up, copies of
 * the database, the switch for everything that leaves it, and the webhook to itself by which a change of its code is tested. The platform records failed requests, because every operation of every module may
 * fail (`platform/http/failures/`).
 */
export const deploymentModule: Module = {
  name: "deployment",
  partOf: "auth",
  routes: () => new OpenAPIHono<AppEnv>(),
  florinRoutes: () => {
    const app = honourLedgers(new OpenAPIHono<AppEnv>());
    registerFailedRequests(app);
    registerDeadLetters(app);
    registerWebhookTarget(app);
    registerBackups(app);
    registerBucketBackups(app);
    registerBucketFiles(app);
    registerDatabaseCopies(app);
    registerRestorations(app);
    registerArming(app);
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
          name: "Dead letters",
          description:
            "Messages that a queue has given up. The events and occurrences themselves are kept by those who announced them; a dead letter says that a consumer has refused them for a while, and why.",
        },
        {
          name: "Sweeps",
          description:
            "What completes the work that a crash or a lost message has left undone, when it ran last, and a run at once.",
        },
        {
          name: "Settings",
          description: "The settings in force, without any secret.",
        },
        {
          name: "Storage",
          description: "How large the database and objects are, and when they will be full.",
        },
        {
          name: "Backups",
          description:
            "A backup begins with an entry in the audit. A deployment with a bucket makes its own. A command reads the database, the logs of ledgers, and the objects of other modules.",
        },
        {
          name: "Arming",
          description:
            "The switch for everything that leaves the deployment: a deployment that is disarmed calls nobody, and keeps what it would have sent until it is armed. See docs/operations/disarmed.md.",
        },
        {
          name: "Copies of the database",
          description:
            "All tables of the database as they are at one moment, read while everything goes on: pages of all rows, then the rows that have changed meanwhile, and at the end the last changes.",
        },
        {
          name: "Restorations",
          description:
            "The way back of a backup into an empty deployment: the rows of the database, the logs of ledgers and the objects of other modules. Until its end, everything else is refused, and afterwards the deployment is disarmed. See docs/operations/backup.md.",
        },
        {
          name: "Smoke test",
          description: "What `npm run deploy` calls when it has changed a deployment.",
        },
        {
          name: "Status",
          description:
            "What waits in each module, since when, why, and what to do, as a summary, as a list of stuck work, and as metrics for Prometheus.",
        },
      ],
    },
  ],
  examples,
  health: async () => {
    // The tables, which the platform checks, are all that it needs.
  },
  settings: deploymentSettings,
  tables: [],
  scopes: {
    "florin:operate":
      "See what the deployment itself does, such as the requests that failed, run its sweeps, copy its database, restore a backup into it, disarm and arm it, and send or drop dead letters",
  },
  status: [deadLettersSection, armingSection, restorationSection, backupsSection],
  sweeps: [purgeFailedRequests, sendDeadLettersAgain, endDatabaseCopies, beginBackups],
};
