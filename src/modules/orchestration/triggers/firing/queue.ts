import { OccurrenceMessage } from "./announce.ts";
import { fireOccurrence } from "./fire.ts";
import type { ServiceContext } from "#platform/context.ts";
import { acknowledgeAfter, parseMessages } from "#platform/events/queue.ts";
import { Lanes } from "#platform/work/lanes.ts";

/**
 * How many occurrences are fired at once, how many of one trigger, and for how long each, in milliseconds. What takes longer is
 * tried again by the sweep.
 */
const LANES = { total: 16, perKey: 4, timeoutMs: 45_000 };

/** Fires the occurrences of messages. One that fails is sent again; one that has to wait is announced by the sweep. */
export async function consumeOccurrences(
  batch: MessageBatch,
  context: ServiceContext,
): Promise<void> {
  const received = parseMessages(batch, OccurrenceMessage);
  const lanes = new Lanes({ ...LANES, waiting: received.length });
  await Promise.all(
    received.map((message) => {
      const { id, trigger } = message.body;
      return acknowledgeAfter([message], () =>
        lanes.run({ key: String(trigger), run: () => fireOccurrence(context, id) }),
      );
    }),
  );
}
