import type { WebhookService } from "./service.ts";
import type { ServiceContext } from "#platform/context.ts";
import type { EventListener } from "#platform/events/source.ts";

/** Stores deliveries of the events that active configs want. */
export const webhookListener = (
  open: (context: ServiceContext) => Pick<WebhookService, "listSubscriptions" | "fanOut">,
): EventListener => ({
  open: async (_messages, context) => {
    const webhooks = open(context);
    const subscriptions = await webhooks.listSubscriptions();
    if (subscriptions.size === 0) return undefined;
    return (events) => webhooks.fanOut(events, subscriptions);
  },
});
