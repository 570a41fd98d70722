import { z } from "zod";
import type { OutboxMessage } from "./messages.ts";
import { Outbox } from "./outbox.ts";
import type { EventSource } from "./source.ts";

/** The events of modules whose data is in D1. */
export const outboxSource: EventSource<OutboxMessage> = {
  name: "outbox",
  schema: z.object({ source: z.literal("outbox"), ids: z.array(z.string().min(1)).min(1) }),
  // All messages have one key and become one message, so that the events of one key keep their order.
  keyOf: () => "",
  merge: (messages) => [
    { source: "outbox", ids: [...new Set(messages.flatMap(({ ids }) => ids))] },
  ],
  read: async (message, context) => {
    const { events, isAll } = await Outbox.from(context).read(message.ids);
    return {
      events,
      read: { source: "outbox", ids: events.map(({ id }) => id) },
      // The events that were read are deleted by then.
      rest: isAll ? undefined : message,
    };
  },
  confirm: ({ ids }, context) => Outbox.from(context).confirm(ids),
};
