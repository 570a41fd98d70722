import type { ListenedEvent } from "./events.ts";
import { headersOf } from "#modules/webhooks/calls/call.ts";
import { SigningSecret } from "#modules/webhooks/calls/signature.ts";

export interface ForwardTarget {
  readonly url: string;
  readonly secret: string;
}

/** Most requests under way at once. No further event is read while the limit is reached. */
const REQUESTS_MAX = 8;
const TIMEOUT_MS = 30_000;

/** Posts events as webhooks. Failed requests are not repeated: the next event shows whether the receiver answers again. */
export class Forwarder {
  readonly #url: string;
  readonly #secrets: readonly SigningSecret[];
  readonly #print: (line: string) => void;
  readonly #underWay = new Set<Promise<void>>();

  /** `print` gets a line for each answer. */
  constructor({ url, secret }: ForwardTarget, print: (line: string) => void) {
    this.#url = url;
    this.#secrets = [new SigningSecret(secret)];
    this.#print = print;
  }

  /** Sends an event; resolves when there is room for the next one. */
  async forward(event: ListenedEvent): Promise<void> {
    const request = this.#send(event).finally(() => this.#underWay.delete(request));
    this.#underWay.add(request);
    if (this.#underWay.size >= REQUESTS_MAX) await Promise.race(this.#underWay);
  }

  async #send({ id, body, idempotencyKey }: ListenedEvent): Promise<void> {
    const startedMs = performance.now();
    const message = { id, body, idempotencyKey, isTest: false };
    const headers = headersOf(message, this.#secrets, Date.now());
    const outcome = await post(this.#url, { headers, body });
    const durationMs = Math.round(performance.now() - startedMs);
    this.#print(`  -> ${outcome}  ${id}  ${durationMs} ms`);
  }
}

/** The status of the answer, or the reason for a failure. */
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
