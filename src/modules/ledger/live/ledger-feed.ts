import type { AccountSelection } from "./account-selection.ts";
import type { FeedConnection, LogReceiver } from "./feed-connection.ts";
import { tagOf } from "./log-cursor.ts";
import { pageStartBefore } from "./log-pages.ts";
import { LogSegment } from "./log-segment.ts";
import { PatternIndex } from "./pattern-index.ts";
import type { StreamedLog } from "#modules/ledger/objects/streamed-log.ts";

/** An open stream, as its feed knows it. */
export interface FeedReader {
  readonly accounts: AccountSelection;
  /** Tells the stream that a segment may have entries for it. */
  offer(segment: LogSegment): void;
  /** Lets the stream go on in its own request, where it attends to the connection, too. */
  wake(): void;
  /** Ends the stream, because the ledger is deleted. */
  end(): void;
  /** Connects to the ledger's object in the name of the stream's request. */
  connect(): FeedConnection;
}

/** Number of streams that are asked to connect when the one with the connection leaves. A slow one among them does not hear it at once. */
const HEIRS = 8;
/** A stream without a beat for this time is gone with its request, in milliseconds. */
const GONE_MS = 60_000;

/**
 * The new entries of one ledger, for all streams of the isolate. One of the streams has the connection to the ledger's object; when it leaves,
 * another one connects. Entries are read once, kept for a while, and offered to the streams whose patterns they match:
 *
 *     object ──notice──► connection ──read──► segments  │ 0…99 │ 100…119 │ 120…131 │
 *                                                │          ▲                  ▲ readTo
 *                             pattern index ◄────┘          └ a slow stream
 *                                   │ offer
 *                                   └─► streams of these accounts, which take the lines in their own requests
 *
 * A stream whose position is older than the kept segments reads pages of the log instead, see `LogPages`. It needs no place in memory.
 */
export class LedgerFeed implements LogReceiver {
  readonly uuid: string;
  readonly #lengthMax: () => number;
  readonly #index = new PatternIndex<FeedReader>();
  readonly #ofEverything = new Set<FeedReader>();
  /** All streams, with the time of their last beat. */
  readonly #readers = new Map<FeedReader, number>();
  #segments: LogSegment[] = [];
  #length = 0;
  #readTo: number;
  #connection: { readonly of: FeedReader; readonly link: FeedConnection } | undefined;

  /** `head` is the last entry of the log at present. `lengthMax` is the length of segments to keep, in characters. */
  constructor({ uuid, head }: { uuid: string; head: number }, lengthMax: () => number) {
    this.uuid = uuid;
    this.#lengthMax = lengthMax;
    // The feed begins where a page ends, so that streams that come back find whole pages before it.
    this.#readTo = pageStartBefore(head);
  }

  get readTo(): number {
    return this.#readTo;
  }

  get isEmpty(): boolean {
    return this.#readers.size === 0;
  }

  join(reader: FeedReader): void {
    const { patterns } = reader.accounts;
    if (patterns === undefined) this.#ofEverything.add(reader);
    for (const pattern of patterns ?? []) this.#index.add(pattern, reader);
    this.#readers.set(reader, Date.now());
  }

  /** Removes a stream. Its own request must call it if the stream has the connection. */
  leave(reader: FeedReader): void {
    if (!this.#remove(reader)) return;
    if (this.#connection?.of !== reader) return;
    this.#connection.link.close();
    this.#connection = undefined;
    for (const next of [...this.#readers.keys()].slice(0, HEIRS)) next.wake();
  }

  /** Has the stream connect if no stream has a connection. */
  attend(reader: FeedReader): void {
    if (this.#connection?.link.isAlive === true) return;
    if (this.#connection?.of === reader) this.#connection.link.close();
    else this.#connection?.link.retire();
    this.#connection = { of: reader, link: reader.connect() };
  }

  /** Notes that a stream is alive. Called in its own request every `BEAT_MS`. */
  beat(reader: FeedReader): void {
    if (!this.#readers.has(reader)) this.join(reader);
    const nowMs = Date.now();
    this.#readers.set(reader, nowMs);
    if (this.#connection?.of === reader) this.#connection.link.ping();
    for (const [other, seenMs] of this.#readers) {
      if (Math.abs(nowMs - seenMs) > GONE_MS) this.#remove(other);
    }
  }

  append(part: StreamedLog): void {
    // Another connection may have brought the entries already.
    if (part.after !== this.#readTo) return;
    const segment = new LogSegment(part, tagOf(this.uuid));
    this.#readTo = segment.to;
    this.#segments.push(segment);
    this.#length += segment.length;
    this.#trim();
    const offer = (reader: FeedReader) => reader.offer(segment);
    if (!segment.isEmpty) for (const reader of this.#ofEverything) offer(reader);
    for (const account of segment.accounts) this.#index.match(account, offer);
  }

  /** The kept segment that has the entries right after an entry; undefined where they are not kept. */
  segmentAfter(logId: number): LogSegment | undefined {
    return this.#segments.findLast(({ after, to }) => after <= logId && logId < to);
  }

  end(): void {
    for (const [reader] of this.#readers) reader.end();
  }

  #remove(reader: FeedReader): boolean {
    if (!this.#readers.delete(reader)) return false;
    this.#ofEverything.delete(reader);
    for (const pattern of reader.accounts.patterns ?? []) this.#index.delete(pattern, reader);
    return true;
  }

  #trim(): void {
    const lengthMax = this.#lengthMax();
    let dropped = 0;
    while (this.#length > lengthMax && dropped < this.#segments.length - 1) {
      this.#length -= this.#segments[dropped]?.length ?? 0;
      dropped++;
    }
    if (dropped > 0) this.#segments = this.#segments.slice(dropped);
  }
}
