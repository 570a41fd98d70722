import { z } from "zod";
import type { OutboxMessage } from "./messages.ts";
import { OutboxDelivery } from "./outbox-delivery.ts";
import { OutboxStore } from "./outbox-store.ts";
import type { EventSource } from "./source.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

const storeOf = ({ env }: ServiceContext): OutboxStore => new OutboxStore(databaseOf(env));

/** The source of events of modules whose data is in D1. */
export const outboxSource: EventSource<OutboxMessage> = {
  name: "outbox",
  schema: z.object({ source: z.literal("outbox"), ids: z.array(z.string().min(1)).min(1) }),
  // All messages have one key and become one message, so that the events of one key keep their order.
  keyOf: () => "",
  merge: (messages) => [
    { source: "outbox", ids: [...new Set(messages.flatMap(({ ids }) => ids))] },
  ],
  deliver: ({ ids }, { context, ...delivery }) =>
    new OutboxDelivery(storeOf(context), delivery).deliver(ids),
  confirm: async ({ ids }, context) => storeOf(context).remove(ids),
};
