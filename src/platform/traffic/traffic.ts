import type { AnsweredRequest } from "./answered-request.ts";
import { Busiest } from "./busiest.ts";
import { RefusedRequests, RequestCounts, TimedCounts } from "./counts.ts";

/** Most ledgers and clients with metrics of their own, and the time after which busier ones replace others, in milliseconds. */
const PLACES = { placesMax: 20, periodMs: 60_000 } as const;

/**
 * Counts of the requests that this process has answered. They live in the isolate's memory and begin at zero with it, as counters of
 * Prometheus may, so that they are for `npm start`, where one isolate answers all requests. On Cloudflare, many isolates come and go, and a
 * scrape would meet any of them: there, data points go to Workers Analytics Engine instead.
 *
 *     request ─► serve ─► answer
 *                  └─ count ─┬─ npm start ──► counts of the isolate ◄── `GET /metrics`, status
 *                            └─ dataset ────► Workers Analytics Engine, one in `FLORIN_ANALYTICS_ONE_IN`
 */
export class Traffic {
  readonly modules = new Map<string, TimedCounts>();
  readonly ledgers = new Busiest({ ...PLACES, makeValue: () => new RequestCounts() });
  /** Refused clients; the client without a name has no valid token. */
  readonly clients = new Busiest({ ...PLACES, makeValue: () => new RefusedRequests() });
  /** Requests for which storage had no room. */
  readonly withoutRoom = new RefusedRequests();

  count({ module, ledger, client, rejection, status, durationMs }: AnsweredRequest): void {
    const nowMs = Date.now();
    let counts = this.modules.get(module);
    if (counts === undefined) {
      counts = new TimedCounts();
      this.modules.set(module, counts);
    }
    counts.add(status, durationMs, rejection);
    if (ledger !== undefined) {
      this.ledgers.of(ledger, nowMs, status < 400).add(status, durationMs, rejection);
    }
    if (rejection === "storage") this.withoutRoom.add(rejection, nowMs);
    if (rejection !== undefined) this.clients.of(client, nowMs, true).add(rejection, nowMs);
  }
}
