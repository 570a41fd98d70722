import type { ListenedEvent } from "./events.ts";
import { headersOf } from "#modules/webhooks/call.ts";
import { systemClock } from "#platform/clock.ts";

export interface ForwardTarget {
  readonly url: string;
  readonly secret: string;
}

/** Most requests under way at once. While there are so many, no more events are read. */
const REQUESTS_MAX = 8;
const TIMEOUT_MS = 30_000;

/** Posts events as webhooks. It does not repeat what fails: the next event shows whether the receiver is there again. */
export class Forwarder {
  readonly #target: ForwardTarget;
  readonly #print: (line: string) => void;
  readonly #underWay = new Set<Promise<void>>();

  /** Prints a line for each answer. */
  constructor(target: ForwardTarget, print: (line: string) => void) {
    this.#target = target;
    this.#print = print;
  }

  /** Sends an event; resolves when there is room for the next one. */
  async forward(event: ListenedEvent): Promise<void> {
    const request = this.#send(event).finally(() => this.#underWay.delete(request));
    this.#underWay.add(request);
    if (this.#underWay.size >= REQUESTS_MAX) await Promise.race(this.#underWay);
  }

  async #send({ id, body, idempotencyKey }: ListenedEvent): Promise<void> {
    const { url, secret } = this.#target;
    const startedMs = performance.now();
    const target = { endpoint: url, openSecrets: () => [secret] };
    const call = { target, id, body, idempotencyKey, isTest: false };
    const outcome = await post(url, { headers: headersOf(call, systemClock()), body });
    const durationMs = Math.round(performance.now() - startedMs);
    this.#print(`  -> ${outcome}  ${id}  ${durationMs} ms`);
  }
}

/** The status of the answer, or why there is none. */
async function post(
  url: string,
  { headers, body }: { headers: Readonly<Record<string, string>>; body: string },
): Promise<string> {
  try {
    const response = await fetch(url, {
      method: "POST",
      headers,
      body,
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    if (!(error instanceof Error)) return String(error);
    return `failed: ${error.cause instanceof Error ? error.cause.message : error.message}`;
  }
}
