import { BATCHING, readBatching } from "./batching.ts";
import { readBinding } from "./bindings.ts";
import type { Driver } from "./driver.ts";
import { assertKnown } from "./fields.ts";
import { type LogItem, withLedger } from "./log-page.ts";

/**
 * Sends a message for each log entry to a Cloudflare Queue: the entry with the name of its ledger, as JSON text, so that integers stay
 * exact. Queues promise no order, which consumers know from the ids of the entries.
 */
export const queueDriver: Driver = {
  name: "queue",
  open(config, context) {
    const queue = readBinding(config, context, { kind: "queue", isOfKind: isQueue });
    const batching = readBatching(config);
    assertKnown(config, ["binding", BATCHING]);
    return {
      batching,
      async send(ledger, entries) {
        const bodies = entries.map((entry) => ({ entry, body: withLedger(entry, ledger) }));
        const large = bodies.find(({ body }) => bytesOf(body) > MESSAGE_BYTES_MAX);
        if (large !== undefined) return tooLarge(large.entry);
        for (const part of partsOf(bodies.map(({ body }) => body))) {
          await queue.sendBatch(part.map((body) => ({ body, contentType: "text" })));
        }
        return undefined;
      },
    };
  },
};

/**
 * Limits of the platform for the bytes of a message, and for the messages and the bytes of a call, less some room for what surrounds a
 * body.
 */
const MESSAGE_BYTES_MAX = 127_000;
const PART_COUNT_MAX = 100;
const PART_BYTES_MAX = 240_000;

const tooLarge = ({ id }: LogItem): string =>
  `log entry ${id} is larger than a message of a queue, which has at most ${MESSAGE_BYTES_MAX} bytes`;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).byteLength;

/** Splits bodies into parts, each of which fits into one call. */
function* partsOf(bodies: readonly string[]): Generator<readonly string[]> {
  let part: string[] = [];
  let bytes = 0;
  for (const body of bodies) {
    const size = bytesOf(body);
    if (part.length === PART_COUNT_MAX || (part.length > 0 && bytes + size > PART_BYTES_MAX)) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(body);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

type TextQueue = Pick<Queue, "sendBatch">;

const isQueue = (binding: object): binding is TextQueue =>
  "sendBatch" in binding && typeof binding.sendBatch === "function";
