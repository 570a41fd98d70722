import { tagOf } from "./log-cursor.ts";
import { LogSegment } from "./log-segment.ts";
import type { LedgerStub } from "#modules/ledger/object-calls.ts";
import type { StreamedEntry, StreamedLog } from "#modules/ledger/objects/streamed-log.ts";
import { FifoCache } from "#platform/memo.ts";
import { callObject } from "#platform/objects/call.ts";

/** The log of which pages are read, in the name of a request. */
export interface PagedLog {
  readonly object: LedgerStub;
  readonly uuid: string;
  /** An entry of which is known that the log reaches it. */
  readonly head: number;
}

/** Number of ids in a page. */
const PAGE_IDS = 128;
/** Length of all pages in memory, in characters, and the length above which a page is given in parts. */
const CACHE_LENGTH = 8_000_000;
const PART_LENGTH = 1_000_000;
/** Longest wait for a page that another request reads, in milliseconds. Then the request may have ended, and the page is read again. */
const FLIGHT_MS = 2000;

const READ_OF_PAGE = { object: "ledger", isRepeatable: true, timeoutMs: 10_000 } as const;

/** The id before the page of an entry's successor. */
export const pageStartBefore = (position: number): number =>
  Math.floor((position + 1) / PAGE_IDS) * PAGE_IDS - 1;

/**
 * Reads older entries for streams that are behind the feed, in pages at fixed places, so that the streams that come back together after a
 * restart read each page once:
 *
 *     ids       0…127    128…255    256…383 …
 *     streams     ▲ ▲       ▲
 *                 └─┴─ one read, then from memory
 */
export class LogPages {
  readonly #pages = new FifoCache<LogSegment>({
    sizeMax: CACHE_LENGTH,
    sizeOf: (_key, page) => page.length,
  });
  readonly #flights = new Map<string, Promise<void>>();

  /** A segment that has the entries after a position; `head` must lie behind the position. */
  async after(position: number, log: PagedLog): Promise<LogSegment> {
    const before = pageStartBefore(position);
    const last = before + PAGE_IDS;
    if (last > log.head) return readPart({ after: position, to: log.head }, log);
    const key = `${log.uuid} ${before}`;
    const known = this.#pages.get(key);
    if (known !== undefined) return known;
    const underWay = this.#flights.get(key);
    if (underWay !== undefined) {
      await Promise.race([underWay, scheduler.wait(FLIGHT_MS)]);
      const landed = this.#pages.get(key);
      if (landed !== undefined) return landed;
    }
    const flight = Promise.withResolvers<void>();
    this.#flights.set(key, flight.promise);
    try {
      const page = await readPart({ after: before, to: last }, log);
      if (page.to >= last) this.#pages.set(key, page);
      // A page of large entries comes in parts, which are not kept.
      if (page.to > position) return page;
    } finally {
      this.#flights.delete(key);
      flight.resolve();
    }
    return readPart({ after: position, to: last }, log);
  }
}

/** Reads a range, or a first part of it that is long enough. */
async function readPart(
  { after, to }: { readonly after: number; readonly to: number },
  { object, uuid }: PagedLog,
): Promise<LogSegment> {
  const entries: StreamedEntry[] = [];
  let [reached, length] = [after, 0];
  while (reached < to && length < PART_LENGTH) {
    const part: StreamedLog = await callObject(
      object.readStreamedPage(reached, to, uuid),
      READ_OF_PAGE,
    );
    if (part.to <= reached) throw new Error(`the log gave no entries after ${reached}`);
    reached = part.to;
    entries.push(...part.entries);
    length += part.entries.reduce((sum, { text }) => sum + text.length, 0);
  }
  return new LogSegment({ after, to: reached, entries }, tagOf(uuid));
}
