import { sql } from "drizzle-orm";
import { endpointOf, WEBHOOKS_SWEEP } from "./configs/endpoints.ts";
import { WEBHOOK_EVENT_TYPES } from "./event-types.ts";
import { webhookListener } from "./fan-out/event-listener.ts";
import { OWED_SWEEP, OwedBatches } from "./fan-out/owed-batches.ts";
import examples from "./http/examples.md" with { type: "text" };
import { API_VERSION, webhookRoutes } from "./http/routes.ts";
import { EndpointObject } from "./lane/endpoint-object.ts";
import { WebhookService } from "./services/webhook-service.ts";
import { webhookSettings } from "./settings.ts";
import { WEBHOOKS_STATUS } from "./status.ts";
import * as tables from "./tables.ts";
import { namedByIds } from "#platform/backup/copied-class.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";
import { tablesIn } from "#platform/upgrade/wanted-tables.ts";

/**
 * Webhooks. A config names an endpoint and the types of the events that it gets. Each event becomes one delivery for each config
 * with its type, and a delivery is attempted until its endpoint has taken it or its retries are used up. Configs are in D1;
 * deliveries are in one Durable Object for each config, so that no endpoint holds up another one. See `docs/webhooks.md`.
 *
 * A folder imports from those below it only (`scripts/lib/rooms/room-table.ts`):
 *
 *     http             routes, schemas, views
 *     services         use cases of the API: configs, deliveries, replays
 *     fan-out, lane    events of a message go to lanes; one object for each config: deliveries, calls, retries
 *     configs          configs in D1, and the reconciler that tells objects of changes
 *     bodies, calls    bodies of events of the outbox, in D1; one signed request
 *     core             rules without I/O: retries, circuit breaker, pace, secrets, ids
 *
 * **No crash loses a delivery.**
 *
 * | A crash after | leaves | then |
 * | --- | --- | --- |
 * | events are read | nothing stored | The producer has no confirmation and publishes the events again. |
 * | some objects have stored their batch | pending deliveries, and their alarms | The producer publishes the events again. The objects recognise those that they have. |
 * | some objects have refused their batch | rows of D1 with these batches | The sweep gives the batches to the objects. |
 * | all objects have stored their batch | pending deliveries, and their alarms | The producer publishes the events again, unless it has its confirmation. |
 * | a call | a pending delivery and the alarm | The alarm rings, and the endpoint gets the delivery a second time, with the same id. |
 * | a result is stored | the result | Nothing is left to do, or the alarm rings when the next attempt is due. |
 * | a change of a config | a row of D1 that its object does not know | The reconciler tells the object. |
 */
export const webhooksModule: Module = {
  name: "webhooks",
  version: API_VERSION,
  routes: webhookRoutes,
  resources: [
    {
      name: "Events",
      resources: [
        {
          name: "Webhooks",
          description:
            "A webhook config says which events are sent to which of your endpoints, signed and with retries.",
        },
        {
          name: "Deliveries",
          description: "A delivery is one event on its way to one endpoint, with all its attempts.",
        },
      ],
    },
  ],
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: webhookSettings,
  tables: tablesIn(tables),
  scopes: readAndWrite("webhooks", "webhook configs and deliveries"),
  eventTypes: WEBHOOK_EVENT_TYPES,
  eventListener: webhookListener,
  status: WEBHOOKS_STATUS,
  sweeps: [
    { name: WEBHOOKS_SWEEP, run: (context) => WebhookService.from(context).sweep(), purges: true },
    { name: OWED_SWEEP, run: (context) => new OwedBatches(context).sweep() },
  ],
  classes: { EndpointObject },
  copiedClasses: [
    {
      name: "EndpointObject",
      ...namedByIds(tables.webhookConfigs.id),
      objectOf: endpointOf,
      restoredBy: endpointOf,
    },
  ],
};

export { toPayload } from "./calls/payload.ts";
export { EndpointObject, WebhookService };
