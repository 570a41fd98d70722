import { sql } from "drizzle-orm";
import { consumeDeliveries } from "./consumer.ts";
import { webhookListener } from "./event-listener.ts";
import examples from "./http/examples.md" with { type: "text" };
import { API_VERSION, webhookRoutes } from "./http/routes.ts";
import { WebhookService } from "./service.ts";
import { webhookSettings } from "./settings.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type Module, readAndWrite } from "#platform/modules/module.ts";

/**
 * Webhooks: configs say who gets which events; each event becomes one delivery for each config that wants it; each
 * delivery is attempted until its endpoint has it or the retry budget is spent.
 *
 * **Nothing is lost, whichever process is killed at whichever time.** Messages of a queue are lost when a local server is
 * killed, so they only make things happen soon. A row in D1 and the alarm of the clock object, whose sweep reads the rows,
 * make sure that they happen at all. The rule: while a delivery is pending, the alarm is set no later than `OVERDUE_AFTER_MS` after its due
 * time; while it is claimed, no later than `CLAIM_MS_MAX` after the claim. A kill between two steps:
 *
 * | After | State | What goes on |
 * | --- | --- | --- |
 * | events are read | nothing stored | The producer has no confirmation and publishes the events again. |
 * | deliveries are stored | pending, alarm perhaps not set | The same. The rows are there already and are ignored; the alarm is set whether rows were new or not. Only then the producer gets its confirmation. |
 * | the alarm is set, or messages are sent | pending | The sweep finds them overdue and sends new messages. |
 * | the claim | delivering | The alarm that was set while it was pending fires by `OVERDUE_AFTER_MS` after the claim, since each sweep that sees it overdue sets the alarm again. That sweep sees the claim and sets the alarm to its end; then the claim is released. |
 * | the call | delivering | The same. The endpoint gets the delivery a second time, with the same id. |
 * | the alarm of a retry is set | delivering | The same; the alarm fires once more than needed. |
 * | the result is stored | final, or pending with an alarm | The sweep, if the message of the retry is not sent. |
 *
 * A sweep that fails, or is killed, has set the alarm before it began. Two messages for one delivery do no harm: the
 * claim is one statement that only one of them passes. A claim that was released while its holder still worked is lost to
 * the holder: its result is dropped, attempt included, and the second call's result counts.
 *
 * **Pending means that the config is active.** Deactivation and deletion cancel in the same transaction; the insert of
 * deliveries and the end of a claim look at the config in their own statement.
 *
 * **An endpoint that hangs** takes no more than its share of a batch's connections while others have work, and the batch
 * ends in well under a minute: what it has not begun goes back to the queue. The platform runs batches side by side; a
 * local server runs one at a time, so there the next batch waits for the timeout of such an endpoint.
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
      ],
    },
  ],
  examples,
  health: async ({ env }) => {
    await databaseOf(env).get(sql`SELECT 1`);
  },
  settings: webhookSettings,
  scopes: readAndWrite("webhooks", "webhook configs and deliveries"),
  eventListener: webhookListener((context) => WebhookService.from(context)),
  queues: {
    "florin-deliveries": (batch, context) => consumeDeliveries(batch, WebhookService.from(context)),
  },
  sweeps: [{ name: "webhooks", run: (context) => WebhookService.from(context).sweep() }],
};

export type { Subscriptions } from "./fan-out.ts";
export { WebhookService };
