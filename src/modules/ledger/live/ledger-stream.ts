import type { AccountSelection } from "./account-selection.ts";
import { FeedConnection } from "./feed-connection.ts";
import type { FeedReader, LedgerFeed } from "./ledger-feed.ts";
import { LedgerFeeds } from "./ledger-feeds.ts";
import { type LogPosition, startOf, tagOf, toCursor } from "./log-cursor.ts";
import type { LogSegment, StreamView } from "./log-segment.ts";
import { ledgerObject, type LedgerStub, READ_OF_LEDGER } from "#modules/ledger/object-calls.ts";
import type { LogEnd } from "#modules/ledger/objects/streamed-log.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { callObject } from "#platform/objects/call.ts";
import {
  BEAT_MS,
  HeldStream,
  type StreamContent,
  type StreamPiece,
} from "#platform/sse/held-stream.ts";
import { endLines, gapLines, heartbeatLines, openingLines } from "#platform/sse/lines.ts";

export interface LedgerStreamOptions extends StreamView {
  /** The position after which the stream goes on; undefined for now. */
  readonly position: LogPosition | undefined;
  /** Whether the stream stays open when all entries that the log has at its start were sent. */
  readonly follows: boolean;
}

const DELETED = "the ledger is deleted";

/** Opens a stream of a ledger, whose text comes in pieces. Throws `LEDGER_NOT_FOUND`. */
export async function openLedgerStream(
  { env }: Pick<ServiceContext, "env">,
  ledger: string,
  options: LedgerStreamOptions,
): Promise<LedgerStream> {
  const object = ledgerObject(env, ledger);
  const end = await callObject(object.logEnd(), READ_OF_LEDGER);
  return new LedgerStream({ feeds: LedgerFeeds.from(env), object, end }, options);
}

interface StreamedLedger {
  readonly feeds: LedgerFeeds;
  readonly object: LedgerStub;
  readonly end: LogEnd;
}

/**
 * One open stream of a ledger, in its own request. Nothing waits in it: it knows its position in the log, and takes the next entries from the
 * segments of its feed, or from pages of the log, when its reader has taken the last ones. So no entry is ever left out, however slow the
 * reader is.
 */
export class LedgerStream implements StreamContent, FeedReader {
  readonly accounts: AccountSelection;
  readonly #ledger: StreamedLedger;
  readonly #options: LedgerStreamOptions;
  readonly #tag: string;
  readonly #held: HeldStream;
  /** The feed, while the stream is open and follows. */
  #feed: LedgerFeed | undefined;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isBegun = false;
  /** The entry up to which the reader has everything that it wants. */
  #position: number;
  /** The entry after which there may be more for the reader; undefined where there is nothing up to the end of the feed. */
  #due: number | undefined;
  #opening: string;

  constructor(ledger: StreamedLedger, options: LedgerStreamOptions) {
    this.accounts = options.accounts;
    this.#ledger = ledger;
    this.#options = options;
    const { uuid, head } = ledger.end;
    this.#tag = tagOf(uuid);
    const { logId, gap } = startOf(options.position, { head, tag: this.#tag });
    this.#position = logId;
    this.#due = logId < head ? logId : undefined;
    const cursor = toCursor(logId, this.#tag);
    this.#opening = openingLines(cursor) + (gap === undefined ? "" : gapLines(cursor, gap));
    this.#held = new HeldStream(this, { follows: options.follows });
    void this.#held.gone.then(() => this.#close());
  }

  /** Resolves when the reader does not read. */
  get gone(): Promise<void> {
    return this.#held.gone;
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamPiece, undefined> {
    return this;
  }

  async next(): Promise<IteratorResult<StreamPiece, undefined>> {
    if (!this.#isBegun) this.#begin();
    const result = await this.#held.next();
    if (result.done === true) this.#close();
    return result;
  }

  async return(): Promise<IteratorResult<StreamPiece, undefined>> {
    this.#held.end();
    this.#close();
    return { done: true, value: undefined };
  }

  take(): StreamPiece | Promise<StreamPiece> {
    this.#feed?.attend(this);
    const opening = this.#opening;
    this.#opening = "";
    if (opening !== "") return opening;
    for (;;) {
      if (this.#due === undefined) {
        this.#position = Math.max(this.#position, this.#feed?.readTo ?? -1);
        return "";
      }
      const segment = this.#feed?.segmentAfter(this.#due);
      if (segment === undefined) return this.#takeFromPages(this.#due);
      const lines = this.#takeFrom(segment);
      if (lines.length > 0) return lines;
    }
  }

  heartbeat(): string {
    return heartbeatLines(toCursor(this.#position, this.#tag));
  }

  offer({ after }: LogSegment): void {
    this.#due ??= after;
    this.#held.wake();
  }

  wake(): void {
    this.#held.wake();
  }

  end(): void {
    this.#held.end(endLines(toCursor(this.#position, this.#tag), DELETED));
  }

  connect(): FeedConnection {
    if (this.#feed === undefined) throw new Error("a stream without a feed needs no connection");
    return new FeedConnection(this.#feed, this.#ledger.object);
  }

  #begin(): void {
    this.#isBegun = true;
    this.#timer = setInterval(() => {
      this.#feed?.beat(this);
      this.#held.beat();
    }, BEAT_MS);
    if (!this.#options.follows) return;
    const feed = this.#ledger.feeds.of(this.#ledger.end);
    feed.join(this);
    this.#feed = feed;
    // What comes after the end of the feed is offered by the feed.
    if (this.#position >= feed.readTo) this.#due = undefined;
    else this.#due = this.#position;
  }

  #close(): void {
    clearInterval(this.#timer);
    const feed = this.#feed;
    if (feed === undefined) return;
    this.#feed = undefined;
    feed.leave(this);
    this.#ledger.feeds.release(feed);
  }

  /** The lines of a segment for the reader, as many of the first ones as a chunk has. */
  #takeFrom(segment: LogSegment): StreamPiece {
    const { lines, to } = segment.linesAfter(this.#position, this.#options);
    this.#position = Math.max(this.#position, to);
    const end = this.#feed?.readTo ?? this.#ledger.end.head;
    this.#due = this.#position < end ? this.#position : undefined;
    return lines;
  }

  /** The next lines from pages of the log. Where none can be read, the stream ends, and its client comes back. */
  async #takeFromPages(from: number): Promise<StreamPiece> {
    const { feeds, object, end } = this.#ledger;
    try {
      const head = Math.max(end.head, this.#feed?.readTo ?? -1);
      const page = await feeds.pages.after(from, { object, uuid: end.uuid, head });
      return this.#takeFrom(page) || this.take();
    } catch (error) {
      if (error instanceof AppError && error.kind === "LEDGER_NOT_FOUND") this.end();
      else {
        if (!(error instanceof AppError))
          logError("a stream could not read a page of its log", error);
        this.#held.end();
      }
      return "";
    }
  }
}
