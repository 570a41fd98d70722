import type { LiveStreamOptions } from "./live-stream.ts";
import type { ServiceContext } from "#platform/context.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject } from "#platform/objects/call.ts";

/** The name of the one object that holds all event streams of a deployment. */
const STREAM_NAME = "events";

/** How long opening a stream may take, in milliseconds. The first stream waits until all consumers record. */
const OPEN_MS_MAX = 15_000;

export const eventStreamOf = (env: Pick<Env, "EVENT_STREAM">) =>
  objectAt(env, env.EVENT_STREAM, STREAM_NAME);

/** Opens an event stream and returns its text in pieces of UTF-8. Throws `RATE_LIMITED` where too many are open. */
export async function openEventStream(
  { env, principal }: ServiceContext,
  { filter, ...options }: LiveStreamOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { lines, seat } = await callObject(
    eventStreamOf(env).open({ filter: { ...filter, allowed: principal.ledgers }, ...options }),
    { object: "event stream", isRepeatable: true, timeoutMs: OPEN_MS_MAX },
  );
  return { [Symbol.asyncIterator]: () => piecesOf(lines, () => seat[Symbol.dispose]()) };
}

/** An iterator and not a generator, because a generator cannot be returned while it waits for its next piece. */
function piecesOf(lines: ReadableStream<Uint8Array>, leave: () => void): AsyncIterator<Uint8Array> {
  const reader = lines.getReader();
  const end = { done: true, value: undefined } as const;
  return {
    next: async () => {
      try {
        const { done, value } = await reader.read();
        if (!done) return { done: false, value };
      } catch {
        // The object was restarted. The client connects again and continues after its last event.
      }
      leave();
      return end;
    },
    return: async () => {
      // Without this call, the object would notice the end of its stream only at the next heartbeat.
      leave();
      await reader.cancel();
      return end;
    },
  };
}
