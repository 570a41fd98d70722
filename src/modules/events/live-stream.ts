import { type EventFilter, isWanted } from "./core/event-filter.ts";
import { entryLines, gapLines, heartbeatLines, openingLines } from "./core/event-lines.ts";
import { type EventRing, isGap } from "./core/event-ring.ts";

export interface LiveStreamOptions {
  readonly filter: EventFilter;
  /** The id that the client has seen last, as it says. */
  readonly lastEventId: string | undefined;
  /** Whether it goes on when everything that is there was sent. */
  readonly follows: boolean;
}

/** After so many heartbeats that find the last write unread, the reader counts as gone. */
const UNREAD_BEATS_MAX = 4;
/** After so many heartbeats, an hour, the stream ends: the client comes again, with a token that is valid then. */
const BEATS_MAX = 240;
/** Characters after which a chunk is sent. */
const CHUNK_LENGTH = 65_536;

/**
 * One open stream. It has no buffer: it knows how far its reader has come in the ring, and takes the next entries when the
 * reader has taken those before. A reader that the ring overtakes is told so by a gap.
 */
export class LiveStream {
  /** What the client reads. */
  readonly readable: ReadableStream<Uint8Array>;
  readonly #writer: WritableStreamDefaultWriter<ArrayBuffer | ArrayBufferView>;
  readonly #ring: () => EventRing;
  readonly #filter: EventFilter;
  readonly #follows: boolean;
  /** The entry that was sent, or passed over, last. */
  #position: number;
  /** Lines that come before the next entries. */
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

  /** Sends until the reader leaves or the stream ends. It never throws. */
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

  /** There may be new entries. */
  wake(): void {
    this.#wake.resolve();
  }

  /** The reader has left. */
  leave(): void {
    void this.#writer.abort("the reader has left").catch(() => undefined);
    this.#end();
  }

  /** Comes every `HEARTBEAT_MS`. The time is not asked, as a clock may be set. */
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

  /** What is sent next; empty where nothing is new. */
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
