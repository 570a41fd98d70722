import { type EventFilter, isWanted } from "./core/event-filter.ts";
import { entryLines } from "./core/event-lines.ts";
import { type EventRing, isGap } from "./core/event-ring.ts";
import { HeldStream, type StreamContent } from "#platform/sse/held-stream.ts";
import { gapLines, heartbeatLines, openingLines } from "#platform/sse/lines.ts";

export interface LiveStreamOptions {
  readonly filter: EventFilter;
  /** The `Last-Event-ID` header of the client. */
  readonly lastEventId: string | undefined;
  /** Whether the stream stays open after all recorded events were sent. */
  readonly follows: boolean;
}

/** Length after which a chunk is sent, in characters. */
const CHUNK_LENGTH = 65_536;

/**
 * One open stream. It has no buffer: it knows its reader's position in the ring, and takes further entries when the reader has
 * read the last chunk. A reader whose next entry the ring has dropped gets a gap.
 */
export class LiveStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<ArrayBuffer | ArrayBufferView>;
  readonly #held: HeldStream;

  constructor(ring: () => EventRing, { filter, lastEventId, follows }: LiveStreamOptions) {
    const { readable, writable } = new IdentityTransformStream();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#held = new HeldStream(new RingContent(ring, { filter, lastEventId }), { follows });
    void this.#held.gone.then(() => this.leave());
  }

  /** Sends until the reader leaves or the stream ends. Never throws. */
  async run(): Promise<void> {
    try {
      const encoder = new TextEncoder();
      for (;;) {
        const { done, value } = await this.#held.next();
        if (done === true) break;
        await this.#writer.write(typeof value === "string" ? encoder.encode(value) : value);
      }
      await this.#writer.close();
    } catch {
      // The reader has left in the middle of a write.
    }
  }

  /** Tells the stream that there may be new entries. */
  wake(): void {
    this.#held.wake();
  }

  /** Ends the stream because its reader has left. */
  leave(): void {
    void this.#writer.abort("the reader has left").catch(() => undefined);
    this.#held.end();
  }

  /** Called every `BEAT_MS`. */
  beat(): void {
    this.#held.beat();
  }
}

/** The entries of the ring that a reader wants. */
class RingContent implements StreamContent {
  readonly #ring: () => EventRing;
  readonly #filter: EventFilter;
  /** The last entry that was sent, or left out by the filter. */
  #position: number;
  /** Lines to send before the next entries. */
  #lines: string;

  constructor(
    ring: () => EventRing,
    { filter, lastEventId }: Pick<LiveStreamOptions, "filter" | "lastEventId">,
  ) {
    this.#ring = ring;
    this.#filter = filter;
    const { sequence, gap } = ring().positionAfter(lastEventId);
    this.#position = sequence;
    this.#lines = openingLines(sequence) + (gap === undefined ? "" : gapLines(sequence, gap));
  }

  take(): string {
    const ring = this.#ring();
    let lines = this.#lines;
    this.#lines = "";
    if (this.#position < ring.floor) {
      const gap = `events came faster than they were read; those up to ${ring.floor} are missing`;
      this.#position = ring.floor;
      lines += gapLines(this.#position, gap);
    }
    for (const entry of ring.after(this.#position)) {
      this.#position = entry.sequence;
      if (isGap(entry.item) || isWanted(this.#filter, entry.item)) lines += entryLines(entry);
      if (lines.length >= CHUNK_LENGTH) break;
    }
    return lines;
  }

  heartbeat(): string {
    return heartbeatLines(this.#position);
  }
}
