import { z } from "zod";
import type { Connect } from "./events.ts";
import { parseJson } from "#platform/json.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import type { Target } from "#scripts/lib/target.ts";
import { requestToken } from "#scripts/lib/token.ts";

export interface Subscription {
  readonly types: readonly string[];
  readonly ledgers: readonly string[];
}

/** Time without events and heartbeats after which a connection counts as lost, in milliseconds. */
const SILENCE_MS_MAX = 60_000;

/** Connects to the server's event stream. The server is looked up for each connection, because a restarted server may have another port. */
export const connectTo =
  (findTarget: () => Target, { types, ledgers }: Subscription): Connect =>
  async (lastEventId) => {
    const target = findTarget();
    const url = new URL("/api/florin/v1/events/stream", target.url);
    url.searchParams.set("types", types.join());
    if (ledgers.length > 0) url.searchParams.set("ledger", ledgers.join());
    const silence = new Silence(SILENCE_MS_MAX);
    const response = await fetch(url, {
      headers: {
        authorization: `Bearer ${await requestToken(target, ["webhooks:read"])}`,
        ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }),
      },
      signal: silence.signal,
    });
    if (!response.ok || response.body === null) throw await refusalOf(response);
    return textsOf(response.body, silence);
  };

const ErrorAnswer = z.object({ errorMessage: z.string() });

async function refusalOf(response: Response): Promise<OperatorError> {
  const text = await response.text();
  const isJson = response.headers.get("content-type") === "application/json";
  const answer = isJson ? ErrorAnswer.safeParse(parseJson(text)).data?.errorMessage : undefined;
  return new OperatorError(
    `The server opens no event stream: ${response.status} ${answer ?? text}`.trimEnd(),
  );
}

async function* textsOf(body: ReadableStream, silence: Silence): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  try {
    for await (const chunk of body) {
      silence.stop(); // The consumer of a text may take its time.
      yield decoder.decode(chunk as Uint8Array, { stream: true }); // A body consists of bytes.
      silence.restart();
    }
  } finally {
    silence.stop();
  }
}

/** A signal that aborts after a time without a restart. */
class Silence {
  readonly #controller = new AbortController();
  readonly #timeoutMs: number;
  #timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#timer = this.#start();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  restart(): void {
    this.stop();
    this.#timer = this.#start();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #start(): NodeJS.Timeout {
    const error = new Error(`the server was silent for ${this.#timeoutMs / 1000} s`);
    return setTimeout(() => this.#controller.abort(error), this.#timeoutMs);
  }
}
