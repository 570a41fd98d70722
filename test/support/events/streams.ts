import { onTestFinished } from "vitest";
import { present } from "#platform/assert.ts";
import { type SseBlock, SseReader } from "#scripts/listen/sse.ts";
import { api } from "#test/support/platform/api.ts";

/** Reads the blocks of an event stream. */
export class BlockReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  readonly #decoder = new TextDecoder();
  readonly #sse = new SseReader();
  readonly #blocks: SseBlock[] = [];

  constructor(stream: ReadableStream) {
    this.#reader = stream.getReader() as ReadableStreamDefaultReader<Uint8Array>; // a body consists of bytes
  }

  /** The next block; undefined after the end of the stream. */
  async next(): Promise<SseBlock | undefined> {
    while (this.#blocks.length === 0) {
      const { done, value } = await this.#reader.read();
      if (done) return undefined;
      this.#blocks.push(...this.#sse.push(this.#decoder.decode(value, { stream: true })));
    }
    return this.#blocks.shift();
  }

  async nextData(): Promise<SseBlock> {
    for (;;) {
      const block = present(await this.next(), "the stream has not ended");
      if (block.data !== undefined) return block;
    }
  }

  async cancel(): Promise<void> {
    await this.#reader.cancel();
  }
}

export interface StreamInit {
  readonly query?: string;
  readonly lastEventId?: string | undefined;
}

export const requestStream = ({ query = "", lastEventId }: StreamInit = {}): Promise<Response> =>
  api(`/api/florin/v1/events/stream?${query}`, {
    headers: lastEventId === undefined ? {} : { "last-event-id": lastEventId },
  });

/** Opens an event stream, waits until it says where it begins, and closes it with the test. */
export async function openStream(
  init: StreamInit = {},
): Promise<{ from: string; reader: BlockReader }> {
  const response = await requestStream(init);
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`);
  const reader = new BlockReader(present(response.body, "a stream has a body"));
  onTestFinished(() => reader.cancel());
  const { id } = present(await reader.next(), "a stream begins with its position");
  return { from: present(id, "its position has a number"), reader };
}

/** The stored events after an id: their ids, and `gap` for gaps. */
export async function storedAfter(lastEventId: string, query = "types=*"): Promise<string[]> {
  const response = await requestStream({ query: `${query}&follow=false`, lastEventId });
  return [...new SseReader().push(await response.text())].flatMap((block) =>
    block.data === undefined ? [] : [shortOf(block)],
  );
}

export function shortOf({ event, data = "" }: SseBlock): string {
  if (event === "gap") return "gap";
  return (JSON.parse(data) as { id: string }).id; // every event has an id
}
