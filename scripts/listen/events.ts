import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { type SseBlock, SseReader } from "./sse.ts";
import { parseJson } from "#platform/json.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** An event in the form of a webhook. */
export interface ListenedEvent {
  readonly id: string;
  readonly date: string;
  readonly type: string;
  /** The event's ledger; empty if it has none. */
  readonly ledger: string;
  readonly idempotencyKey: string;
  /** The body in the server's own notation. */
  readonly body: string;
}

/** The news of a listener: events, and changes of the connection. */
export type News =
  | { readonly kind: "connected" }
  | { readonly kind: "event"; readonly event: ListenedEvent }
  | { readonly kind: "gap"; readonly reason: string }
  | { readonly kind: "disconnected"; readonly reason: string };

/** Opens the stream behind the event `lastEventId`, and gives its text in pieces as they arrive. */
export type Connect = (lastEventId: string | undefined) => Promise<AsyncIterable<string>>;

const RECONNECT_BACKOFF = doubling(500, 4000);

/**
 * The events of a server, across connections: each connection continues behind the last event of the one before. Throws the error of a
 * failed first connection; later failures are retried without limit.
 */
export async function* listenTo(connect: Connect): AsyncGenerator<News, never> {
  let lastEventId: string | undefined;
  let isFirst = true;
  let failures = 0;
  const seen = new SeenIds();
  for (;;) {
    let reason = "the server ended the stream";
    try {
      const pieces = await connect(lastEventId);
      isFirst = false;
      const reader = new SseReader();
      yield { kind: "connected" };
      for await (const piece of pieces) {
        failures = 0;
        for (const block of reader.push(piece)) {
          const news = newsOf(block);
          const isKnown = news?.kind === "event" && !seen.add(news.event.id);
          if (news !== undefined && !isKnown) yield news;
          lastEventId = block.id ?? lastEventId;
        }
      }
    } catch (error) {
      if (isFirst) throw error;
      reason = reasonOf(error);
    }
    yield { kind: "disconnected", reason };
    await delay(waitAfterFailures(RECONNECT_BACKOFF, ++failures));
  }
}

const Gap = z.object({ reason: z.string() });
const Streamed = z.object({
  id: z.string(),
  event: z.object({
    idempotency_key: z.string(),
    date: z.string(),
    type: z.string(),
    payload: z.unknown(),
  }),
});
const OfLedger = z.object({ ledger: z.string() });

function newsOf({ event, data }: SseBlock): News | undefined {
  if (data === undefined) return undefined;
  if (event === "gap") return { kind: "gap", ...Gap.parse(parseJson(data)) };
  const { id, event: body } = Streamed.parse(parseJson(data));
  const ledger = OfLedger.safeParse(body.payload).data?.ledger ?? "";
  const { date, type, idempotency_key: idempotencyKey } = body;
  // The id in front of the member is a JSON string, in which quotation marks are escaped, so that the search finds the member itself.
  const text = data.slice(data.indexOf(EVENT_MEMBER) + EVENT_MEMBER.length, -1);
  return { kind: "event", event: { id, date, type, ledger, idempotencyKey, body: text } };
}

const EVENT_MEMBER = ',"event":';

/** The reason of an error. `fetch` has it in the cause of its error. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}

/** The ids of recent events, by which repeated events are dropped: a server that has lost its record may send events again. */
class SeenIds {
  readonly #ids = new Set<string>();

  /** Returns whether the id is new. */
  add(id: string): boolean {
    if (this.#ids.has(id)) return false;
    this.#ids.add(id);
    if (this.#ids.size > SEEN_MAX) {
      const [oldest = ""] = this.#ids;
      this.#ids.delete(oldest);
    }
    return true;
  }
}

const SEEN_MAX = 10_000;
