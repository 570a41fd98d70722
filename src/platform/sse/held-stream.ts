/** A piece of a stream: text, or its bytes in UTF-8. */
export type StreamPiece = string | Uint8Array;

/** The content of one open stream. */
export interface StreamContent {
  /** The next lines to send; empty if there are none yet. Called only when the reader has taken the lines before. */
  take(): StreamPiece | Promise<StreamPiece>;
  /** Lines that show the reader that the stream is alive, and how far it is. */
  heartbeat(): string;
}

/** How often `HeldStream.beat` has to be called, in milliseconds. */
export const BEAT_MS = 15_000;
/** Number of beats that find the last lines unread, after which the reader counts as gone. */
const UNREAD_BEATS_MAX = 4;
/** Number of beats after which the stream ends, which is an hour. The client connects again, with a token that is valid then. */
const BEATS_MAX = 240;

/**
 * Server-sent events over one connection that stays open. The stream has no buffer: its content knows the reader's position, and gives
 * further lines when the reader has taken the last ones.
 *
 *     wake() ──┐                            ┌─ lines ──► the reader takes them ──► next()
 *     next() ──┴─► take() ──────────────────┤
 *                    ▲                      └─ none ───► wait for wake(), beat() or end()
 *                    └──────────────────────────────────────────┘
 */
export class HeldStream implements AsyncIterator<StreamPiece, undefined> {
  readonly #content: StreamContent;
  readonly #follows: boolean;
  readonly #gone = Promise.withResolvers<void>();
  #wake = Promise.withResolvers<void>();
  #lastLines = "";
  #beats = 0;
  #unreadBeats = 0;
  #isUnread = false;
  #isBeatDue = false;
  #isEnded = false;

  /** `follows` says whether the stream stays open when its content has nothing more to send. */
  constructor(content: StreamContent, { follows }: { readonly follows: boolean }) {
    this.#content = content;
    this.#follows = follows;
  }

  /** Resolves when the reader counts as gone. */
  get gone(): Promise<void> {
    return this.#gone.promise;
  }

  /** The next lines for the reader. It throws what the content throws. */
  async next(): Promise<IteratorResult<StreamPiece, undefined>> {
    this.#isUnread = false;
    this.#unreadBeats = 0;
    while (!this.#isEnded) {
      const taken = this.#content.take();
      const lines = taken instanceof Promise ? await taken : taken;
      if (lines.length > 0) return this.#give(lines);
      if (this.#isBeatDue) return this.#give(this.#content.heartbeat());
      if (!this.#follows) break;
      await this.#wake.promise;
      this.#wake = Promise.withResolvers();
    }
    const lines = this.#lastLines;
    this.#lastLines = "";
    this.#isEnded = true;
    return lines === "" ? { done: true, value: undefined } : this.#give(lines);
  }

  /** Tells the stream that there may be new lines. */
  wake(): void {
    this.#wake.resolve();
  }

  /** Called every `BEAT_MS`. Beats are counted instead of reading a clock, because clocks are set. */
  beat(): void {
    this.#beats++;
    if (this.#isUnread) this.#unreadBeats++;
    if (this.#unreadBeats >= UNREAD_BEATS_MAX) {
      this.#gone.resolve();
      this.end();
    } else if (this.#beats >= BEATS_MAX) {
      this.end();
    } else {
      this.#isBeatDue = true;
      this.wake();
    }
  }

  /** Ends the stream, after some last lines. */
  end(lastLines = ""): void {
    if (this.#isEnded) return;
    this.#lastLines = lastLines;
    this.#isEnded = true;
    this.wake();
  }

  #give(value: StreamPiece): IteratorYieldResult<StreamPiece> {
    this.#isBeatDue = false;
    this.#isUnread = true;
    return { done: false, value };
  }
}
