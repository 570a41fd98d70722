import { z } from "zod";
import type { WebhookService } from "./service.ts";
import type { DeliveryMessage } from "#platform/events/messages.ts";
import { acknowledgeAfter, parseMessages } from "#platform/events/queue.ts";

/** Attempts the deliveries that are due. Others, and those that somebody else has claimed, are left alone. */
export async function consumeDeliveries(
  batch: MessageBatch,
  webhooks: Pick<WebhookService, "deliver">,
): Promise<void> {
  const messages = parseMessages(batch, DeliverySchema);
  const ids = new Set(messages.map(({ body }) => body.deliveryId));
  await acknowledgeAfter(messages, () => webhooks.deliver([...ids]));
}

const DeliverySchema: z.ZodType<DeliveryMessage> = z.object({ deliveryId: z.string().min(1) });
