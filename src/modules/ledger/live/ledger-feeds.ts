import { LedgerFeed } from "./ledger-feed.ts";
import { LogPages } from "./log-pages.ts";
import type { LogEnd } from "#modules/ledger/objects/streamed-log.ts";
import { memoByEnv } from "#platform/memo.ts";

/** Length of the new entries that all feeds of an isolate keep together, in characters. */
const LENGTH_MAX = 8_000_000;

/** The feeds of an isolate: one for each ledger that has open streams. */
export class LedgerFeeds {
  static readonly from = memoByEnv((_env: Env) => new LedgerFeeds());

  readonly pages = new LogPages();
  readonly #feeds = new Map<string, LedgerFeed>();

  /** The feed of a ledger, which is made where no other stream has made it. */
  of(ledger: LogEnd): LedgerFeed {
    const known = this.#feeds.get(ledger.uuid);
    if (known !== undefined) return known;
    const feed = new LedgerFeed(ledger, () => LENGTH_MAX / this.#feeds.size);
    this.#feeds.set(ledger.uuid, feed);
    return feed;
  }

  /** Drops a feed that no stream reads. */
  release(feed: LedgerFeed): void {
    if (feed.isEmpty && this.#feeds.get(feed.uuid) === feed) this.#feeds.delete(feed.uuid);
  }
}
