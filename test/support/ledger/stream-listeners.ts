import { request, type IncomingMessage } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "#platform/assert.ts";
import { SseReader } from "#scripts/listen/sse.ts";

/** How long a listener waits before it connects again, as streams tell their clients, in milliseconds. */
const RECONNECT_MS = 1000;

/** Shortest pause between two frames, in milliseconds. A frame comes in several pieces. */
const PAUSE_MS = 30;

/** The server of listeners, whose address changes when it is started again. */
export interface StreamTarget {
  readonly url: string;
  readonly token: string;
}

/** A client of a ledger's stream that connects again with its last id, and records the entries that it gets. */
export class StreamListener {
  /** Ids of log entries, in the order in which they came. */
  readonly ids: number[] = [];
  /** The last balance of each account. */
  readonly balances = new Map<string, string>();
  /** Names of events other than `entry` and `balances`. */
  readonly others: string[] = [];
  /** The number of pieces that came after a pause, and of connections. */
  frames = 0;
  connections = 0;
  readonly #path: string;
  readonly #target: () => StreamTarget;
  #lastEventId: string | undefined;
  #open: IncomingMessage | undefined;
  #isOver = false;
  #pieceMs = 0;
  readonly #connected = Promise.withResolvers<void>();

  constructor(path: string, target: () => StreamTarget) {
    this.#path = path;
    this.#target = target;
  }

  /** Resolves when the first connection has told its position. */
  get connected(): Promise<void> {
    return this.#connected.promise;
  }

  /** Listens until `stop` is called. */
  async run(): Promise<void> {
    while (!this.#isOver) {
      await this.#listen().catch(() => undefined);
      if (!this.#isOver) await delay(RECONNECT_MS);
    }
  }

  stop(): void {
    this.#isOver = true;
    this.#open?.destroy();
  }

  /** Closes the connection; the listener comes back. */
  cut(): void {
    this.#open?.destroy();
  }

  async #listen(): Promise<void> {
    const response = await this.#request();
    if (response.statusCode !== 200) {
      response.resume();
      throw new Error(`the stream answers ${response.statusCode}`);
    }
    this.connections++;
    this.#open = response;
    if (this.#isOver) response.destroy();
    const sse = new SseReader();
    for await (const piece of response.setEncoding("utf8")) {
      for (const { id, event, data } of sse.push(String(piece))) {
        this.#lastEventId = id;
        this.#connected.resolve();
        if (data === undefined) continue;
        this.#take(event, data);
      }
      const nowMs = performance.now();
      if (nowMs - this.#pieceMs > PAUSE_MS) this.frames++;
      this.#pieceMs = nowMs;
    }
  }

  #take(event: string, data: string): void {
    if (event === "entry") {
      const [, id] = present(
        /"id":(\d+),"hash":"[^"]*"\}$/.exec(data),
        "an entry ends with its id",
      );
      this.ids.push(Number(id));
    } else if (event === "balances") {
      for (const [, account = "", balance = ""] of data.matchAll(
        /"account":"([^"]+)"[^}]*"balance":(-?\d+)/g,
      )) {
        this.balances.set(account, balance);
      }
    } else this.others.push(event);
  }

  #request(): Promise<IncomingMessage> {
    const { url, token } = this.#target();
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        ...(this.#lastEventId === undefined ? {} : { "last-event-id": this.#lastEventId }),
      };
      request(`${url}${this.#path}`, { headers, agent: false }, resolve).on("error", reject).end();
    });
  }
}
