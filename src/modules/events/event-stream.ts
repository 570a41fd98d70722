import type { LiveStreamOptions } from "./live-stream.ts";
import type { ServiceContext } from "#platform/context.ts";
import { callObject } from "#platform/objects/call.ts";

/** A deployment has one object that all event streams are in. */
const STREAM_NAME = "events";

/** How long a client may wait for its stream, in milliseconds: the first one waits until all consumers know of it. */
const OPEN_MS_MAX = 15_000;

export const eventStreamOf = (env: Pick<Env, "EVENT_STREAM">) =>
  env.EVENT_STREAM.getByName(STREAM_NAME);

/** Opens an event stream, as the pieces of text, in UTF-8, that it consists of. Throws `RATE_LIMITED` where too many are open. */
export async function openEventStream(
  { env, principal }: ServiceContext,
  { filter, ...options }: LiveStreamOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const { lines, seat } = await callObject(
    eventStreamOf(env).open({ filter: { ...filter, allowed: principal.ledgers }, ...options }),
    { object: "event stream", isRead: true, timeoutMs: OPEN_MS_MAX },
  );
  return { [Symbol.asyncIterator]: () => piecesOf(lines, () => seat[Symbol.dispose]()) };
}

/** Not a generator: it can be left while it waits for the next piece. */
function piecesOf(lines: ReadableStream<Uint8Array>, leave: () => void): AsyncIterator<Uint8Array> {
  const reader = lines.getReader();
  const end = { done: true, value: undefined } as const;
  return {
    next: async () => {
      try {
        const { done, value } = await reader.read();
        if (!done) return { done: false, value };
      } catch {
        // The object was restarted: the client comes again, and goes on where it was.
      }
      leave();
      return end;
    },
    return: async () => {
      // The object would notice the end of its stream at the next heartbeat only.
      leave();
      await reader.cancel();
      return end;
    },
  };
}
