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
  deliver: async ({ ids }, { sink, context, signal }) => {
    const outbox = Outbox.from(context);
    for (let isAll = false; !isAll;) {
      signal.throwIfAborted();
      const part = await outbox.read(ids);
      if (part.events.length > 0) await sink(part.events);
      // The next part begins after these, as they are deleted by then.
      await outbox.confirm(part.events.map(({ id }) => id));
      ({ isAll } = part);
    }
  },
  confirm: ({ ids }, context) => Outbox.from(context).confirm(ids),
};
