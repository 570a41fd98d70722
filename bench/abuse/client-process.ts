import { Agent, type IncomingMessage, request } from "node:http";
import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { RunJob, Stream, StreamRequest, StreamResult } from "./streams.ts";

/** Most sockets of one stream. Further requests wait in this process. */
const SOCKETS_MAX = 4000;

/** Runs a job with all its streams at the same time. Requests that are under way at the end are broken off. */
async function run({ origin, durationMs, streams }: RunJob): Promise<StreamResult[]> {
  const end = AbortSignal.timeout(durationMs);
  return Promise.all(streams.map((stream) => new Sender(origin, stream, end).run(durationMs)));
}

/** Sends the requests of one stream and counts their outcomes. */
class Sender {
  readonly #origin: string;
  readonly #stream: Stream;
  readonly #end: AbortSignal;
  readonly #agents: readonly Agent[];
  readonly #outcomes: Record<string, number> = {};
  readonly #timesMs: number[] = [];
  #sent = 0;

  constructor(origin: string, stream: Stream, end: AbortSignal) {
    this.#origin = origin;
    this.#stream = stream;
    this.#end = end;
    const { addresses = 0 } = stream;
    const agent = (options: { localAddress?: string } = {}): Agent =>
      new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, ...options });
    this.#agents =
      addresses === 0
        ? [agent()]
        : Array.from({ length: addresses }, (_, index) =>
            agent({ localAddress: `127.0.0.${index + 2}` }),
          );
  }

  async run(durationMs: number): Promise<StreamResult> {
    const startedMs = performance.now();
    await this.#send(durationMs, startedMs);
    const seconds = (performance.now() - startedMs) / 1000;
    for (const agent of this.#agents) agent.destroy();
    return {
      name: this.#stream.name,
      outcomes: this.#outcomes,
      timesMs: this.#timesMs,
      seconds,
    };
  }

  async #send(durationMs: number, startedMs: number): Promise<void> {
    const { pace } = this.#stream;
    switch (pace.kind) {
      case "rate":
        return this.#sendAtRate(pace.perSecond, durationMs, startedMs);
      case "loop":
        await Promise.all(Array.from({ length: pace.clients }, () => this.#loop()));
        return;
      case "burst":
        await Promise.all(Array.from({ length: pace.count }, () => this.#one(performance.now())));
    }
  }

  async #sendAtRate(perSecond: number, durationMs: number, startedMs: number): Promise<void> {
    const under: Promise<void>[] = [];
    for (let number = 0; ; number++) {
      const dueMs = startedMs + (number * 1000) / perSecond;
      if (dueMs - startedMs >= durationMs) break;
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await delay(waitMs);
      under.push(this.#one(dueMs));
    }
    await Promise.all(under);
  }

  async #loop(): Promise<void> {
    while (!this.#end.aborted) await this.#one(performance.now());
  }

  /** Sends the next request. Never rejects: every end of a request is an outcome. */
  async #one(dueMs: number): Promise<void> {
    const number = this.#sent++;
    const next = this.#stream.requests[number % this.#stream.requests.length];
    const agent = this.#agents[number % this.#agents.length];
    if (next === undefined || agent === undefined) throw new Error("a stream has a request");
    const { name, isComplete } = await this.#exchange(numbered(next, number), agent);
    this.#outcomes[name] = (this.#outcomes[name] ?? 0) + 1;
    if (isComplete) this.#timesMs.push(performance.now() - dueMs);
  }

  #exchange(next: StreamRequest, agent: Agent): Promise<{ name: string; isComplete: boolean }> {
    const { promise, resolve } = Promise.withResolvers<{ name: string; isComplete: boolean }>();
    const headers = {
      ...this.#stream.headers,
      ...(next.body === undefined
        ? {}
        : {
            "content-type": "application/json",
            "content-length": `${Buffer.byteLength(next.body)}`,
          }),
      ...next.headers,
    };
    const options = { method: next.method, agent, headers, signal: this.#end };
    const cutOff = (): string => (this.#end.aborted ? "open" : "broken");
    const sent = request(`${this.#origin}${next.path}`, options, (response: IncomingMessage) => {
      const status = `${response.statusCode}`;
      response.resume();
      response.once("end", () => resolve({ name: status, isComplete: true }));
      response.once("error", () => resolve({ name: `${status} ${cutOff()}`, isComplete: false }));
    });
    sent.once("error", () => resolve({ name: cutOff(), isComplete: false }));
    sent.end(next.body);
    return promise;
  }
}

function numbered(given: StreamRequest, number: number): StreamRequest {
  const fill = (text: string): string =>
    text.replaceAll("{n}", `${number}`).replaceAll("{now}", `${Date.now()}`);
  return {
    ...given,
    path: fill(given.path),
    ...(given.body === undefined ? {} : { body: fill(given.body) }),
  };
}

// Clients run in processes of their own, so that no client waits for another. Client processes end with their parent.
process.on("message", (job: RunJob) => {
  void run(job).then((results) => process.send?.(results));
});
process.on("disconnect", () => process.exit(0));
