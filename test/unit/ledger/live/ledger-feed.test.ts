import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { AccountSelection, parseAccountPattern } from "#modules/ledger/live/account-selection.ts";
import type { FeedConnection } from "#modules/ledger/live/feed-connection.ts";
import { type FeedReader, LedgerFeed } from "#modules/ledger/live/ledger-feed.ts";
import type { StreamedEntry } from "#modules/ledger/objects/streamed-log.ts";
import { present } from "#platform/assert.ts";

const UUID = "0f0e0d0c-0000-7000-8000-00009f3a1c2b";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

/** A stream that notes what its feed tells it. */
class Reader implements FeedReader {
  readonly accounts: AccountSelection;
  readonly offers: number[] = [];
  readonly calls: string[] = [];
  isAlive = true;

  constructor(accounts?: string) {
    const patterns = accounts?.split(",").map((text) => present(parseAccountPattern(text), text));
    this.accounts = new AccountSelection(patterns);
  }

  offer(segment: { readonly to: number }): void {
    this.offers.push(segment.to);
  }

  wake(): void {
    this.calls.push("wake");
  }

  end(): void {
    this.calls.push("end");
  }

  connect(): FeedConnection {
    this.calls.push("connect");
    const note = (what: string) => () => void this.calls.push(what);
    const link = { close: note("close"), retire: note("retire"), ping: note("ping") };
    const isAlive = () => this.isAlive;
    return Object.defineProperty(link, "isAlive", { get: isAlive }) as unknown as FeedConnection; // what a feed uses of it
  }
}

const entry = (id: number, account: string): StreamedEntry => ({
  id,
  text: `{"id":${id}}`,
  accounts: [account],
  balances: [],
});

function feedOf(lengthMax = 1_000_000, ...readers: readonly Reader[]): LedgerFeed {
  const feed = new LedgerFeed({ uuid: UUID, head: 300 }, () => lengthMax);
  for (const reader of readers) feed.join(reader);
  return feed;
}

test("a feed offers a part of the log to the streams that it concerns, once for each position", () => {
  const [one, both, everything] = [new Reader("a:*"), new Reader("a:1,b"), new Reader()];
  const feed = feedOf(undefined, one, both, everything);
  expect(feed.readTo).toBe(255);
  feed.append({ after: 255, to: 301, entries: [entry(301, "a:1")] });
  feed.append({ after: 255, to: 301, entries: [entry(301, "a:1")] });
  feed.append({ after: 301, to: 305, entries: [entry(303, "b")] });
  feed.append({ after: 305, to: 306, entries: [] });
  expect([one.offers, both.offers, everything.offers]).toEqual([[301], [301, 305], [301, 305]]);
  expect(feed.readTo).toBe(306);
  feed.leave(both);
  feed.append({ after: 306, to: 307, entries: [entry(307, "b")] });
  expect(both.offers).toEqual([301, 305]);
});

test("a feed keeps as many parts as fit, and at least the last one", () => {
  const feed = feedOf(1);
  feed.append({ after: 255, to: 301, entries: [entry(301, "a")] });
  expect(feed.segmentAfter(300)?.to).toBe(301);
  feed.append({ after: 301, to: 302, entries: [entry(302, "a")] });
  expect(feed.segmentAfter(300)).toBeUndefined();
  expect(feed.segmentAfter(301)?.to).toBe(302);
  expect(feed.segmentAfter(302)).toBeUndefined();
});

test("one stream of a feed connects, and another one when it leaves or its connection is silent", () => {
  const [one, two, three] = [new Reader(), new Reader(), new Reader()];
  const feed = feedOf(undefined, one, two, three);
  feed.attend(one);
  feed.attend(two);
  feed.beat(one);
  expect([one.calls, two.calls]).toEqual([["connect", "ping"], []]);
  feed.leave(one);
  expect(one.calls).toEqual(["connect", "ping", "close"]);
  expect(two.calls).toEqual(["wake"]);
  feed.attend(two);
  two.isAlive = false;
  feed.attend(three);
  expect(two.calls).toEqual(["wake", "connect", "retire"]);
  expect(three.calls).toEqual(["wake", "connect"]);
  feed.leave(two);
  expect(two.calls).toEqual(["wake", "connect", "retire"]);
});

test("a feed forgets a stream whose request has ended without a word, and takes it back if it has not", () => {
  const [alive, gone] = [new Reader("a"), new Reader("a")];
  const feed = feedOf(undefined, alive, gone);
  for (let beats = 0; beats < 5; beats++) {
    vi.advanceTimersByTime(15_000);
    feed.beat(alive);
  }
  feed.append({ after: 255, to: 301, entries: [entry(301, "a")] });
  expect([alive.offers, gone.offers]).toEqual([[301], []]);
  feed.beat(gone);
  feed.append({ after: 301, to: 302, entries: [entry(302, "a")] });
  expect(gone.offers).toEqual([302]);
  feed.end();
  expect([alive.calls, gone.calls]).toEqual([["end"], ["end"]]);
});
