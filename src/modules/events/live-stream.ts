import { type EventFilter, isWanted } from "./core/event-filter.ts";
import { entryLines, gapLines, heartbeatLines, openingLines } from "./core/event-lines.ts";
import { type EventRing, isGap } from "./core/event-ring.ts";

export interface LiveStreamOptions {
  readonly filter: EventFilter;
  /** The `Last-Event-ID` header of the client. */
  readonly lastEventId: string | undefined;
  /** Whether the stream stays open after all recorded events were sent. */
  readonly follows: boolean;
}

/** Number of heartbeats that find the last write unread, after which the reader counts as gone. */
const UNREAD_BEATS_MAX = 4;
/** Number of heartbeats after which the stream ends, which is an hour. The client connects again, with a token that is valid then. */
const BEATS_MAX = 240;
/** Length after which a chunk is sent, in characters. */
const CHUNK_LENGTH = 65_536;

/**
 * One open stream. It has no buffer: it knows its reader's position in the ring, and takes further entries when the reader has
 * read the last chunk. A reader whose next entry the ring has dropped gets a gap.
 */
export class LiveStream {
  readonly readable: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<ArrayBuffer | ArrayBufferView>;
  readonly #ring: () => EventRing;
  readonly #filter: EventFilter;
  readonly #follows: boolean;
  /** The last entry that was sent, or left out by the filter. */
  #position: number;
  /** Lines to send before the next entries. */
  #lines: string;
  #beats = 0;
  #unreadBeats = 0;
  #isWriting = false;
  #isBeatDue = false;
  #isEnded = false;
  #wake = Promise.withResolvers<void>();

  constructor(ring: () => EventRing, { filter, lastEventId, follows }: LiveStreamOptions) {
    const { readable, writable } = new IdentityTransformStream();
    this.readable = readable;
    this.#writer = writable.getWriter();
    this.#ring = ring;
    this.#filter = filter;
    this.#follows = follows;
    const { sequence, gap } = ring().positionAfter(lastEventId);
    this.#position = sequence;
    this.#lines = openingLines(sequence) + (gap === undefined ? "" : gapLines(sequence, gap));
  }

  /** Sends until the reader leaves or the stream ends. Never throws. */
  async run(): Promise<void> {
    try {
      while (!this.#isEnded) {
        const lines = this.#take();
        if (lines !== "") await this.#write(lines);
        else if (this.#follows) await this.#nextWake();
        else break;
      }
      await this.#writer.close();
    } catch {
      // The reader has left in the middle of a write.
    }
  }

  /** Tells the stream that there may be new entries. */
  wake(): void {
    this.#wake.resolve();
  }

  /** Ends the stream because its reader has left. */
  leave(): void {
    void this.#writer.abort("the reader has left").catch(() => undefined);
    this.#end();
  }

  /** Called every `HEARTBEAT_MS`. Heartbeats are counted instead of reading a clock, because clocks are set. */
  beat(): void {
    this.#beats++;
    if (this.#isWriting) this.#unreadBeats++;
    if (this.#unreadBeats >= UNREAD_BEATS_MAX) {
      this.leave();
    } else if (this.#beats >= BEATS_MAX) {
      this.#end();
    } else {
      this.#isBeatDue = true;
      this.wake();
    }
  }

  #end(): void {
    this.#isEnded = true;
    this.wake();
  }

  async #nextWake(): Promise<void> {
    await this.#wake.promise;
    this.#wake = Promise.withResolvers();
  }

  async #write(lines: string): Promise<void> {
    this.#isWriting = true;
    await this.#writer.write(new TextEncoder().encode(lines));
    this.#isWriting = false;
    this.#unreadBeats = 0;
  }

  /** The next lines to send; empty if there are none. */
  #take(): string {
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
    if (this.#isBeatDue && lines === "") lines = heartbeatLines(this.#position);
    this.#isBeatDue = false;
    return lines;
  }
}
