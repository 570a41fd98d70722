import { readServerEvents } from "./server-events.ts";
import { toWire } from "#console/api/client.ts";
import { florin } from "#console/api/florin.ts";

/** What a stream tells its listeners. */
export type LiveEvent =
  /** An entry of the log, as JSON: `{"type":…,"data":…}`. */
  | { readonly kind: "entry"; readonly data: string }
  /** The stream begins here: what was written before is not told. The page reads anew what it shows. */
  | { readonly kind: "start" };

export interface LiveState {
  /** Whether what the page shows follows the ledger. A stream that has just begun counts as live. */
  readonly isLive: boolean;
  /** When the server was heard last, in milliseconds since the epoch; undefined if it never was, or while the stream is live. */
  readonly lastMs: number | undefined;
}

type Listener = (event: LiveEvent) => void;

const LIVE: LiveState = { isLive: true, lastMs: undefined };
const BACKOFF_MS = 1000;
const BACKOFF_MAX_MS = 30_000;
/** Time without an answer from which the page says that it is not live. */
const PAUSED_AFTER_MS = 3000;
/** Time without a byte after which a connection counts as lost. The server sends a comment every 15 seconds. */
const SILENCE_MS = 40_000;
/** Time after which a hidden page leaves the stream. */
const HIDDEN_MS = 60_000;
/** Time away after which a page reads anew what it shows, in place of everything that was written meanwhile. */
const AWAY_MAX_MS = 300_000;
/** Answers after which no repetition helps: the ledger is deleted, or the person may not read it. */
const FINAL: ReadonlySet<number> = new Set([400, 401, 403, 404]);

/**
 * A stream of a ledger's log, for as long as somebody listens. It resumes without a gap after a lost connection, and rests while the page is
 * hidden for long. It keeps nothing but its position.
 */
export class LedgerStream {
  readonly #ledger: string;
  readonly #accounts: string | undefined;
  readonly #listeners = new Set<Listener>();
  readonly #watchers = new Set<() => void>();
  #state = LIVE;
  #position: string | undefined;
  #heardMs: number | undefined;
  #running: AbortController | undefined;
  #pausing: ReturnType<typeof setTimeout> | undefined;
  #hiding: ReturnType<typeof setTimeout> | undefined;

  constructor(ledger: string, accounts: string | undefined) {
    this.#ledger = ledger;
    this.#accounts = accounts;
  }

  readonly state = (): LiveState => this.#state;

  readonly watch = (changed: () => void): (() => void) => {
    this.#watchers.add(changed);
    return () => this.#watchers.delete(changed);
  };

  /** Calls a listener for each event. Returns the function that ends this; without listeners the connection is closed. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) this.#begin();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#end();
    };
  }

  #begin(): void {
    document.addEventListener("visibilitychange", this.#onVisibility);
    if (!document.hidden) this.#start();
  }

  #end(): void {
    document.removeEventListener("visibilitychange", this.#onVisibility);
    clearTimeout(this.#hiding);
    this.#stop();
    this.#position = undefined;
    this.#show(LIVE);
  }

  readonly #onVisibility = (): void => {
    clearTimeout(this.#hiding);
    if (document.hidden) this.#hiding = setTimeout(() => this.#stop(), HIDDEN_MS);
    else if (this.#running === undefined) this.#start();
  };

  #start(): void {
    this.#running = new AbortController();
    void this.#run(this.#running.signal);
  }

  #stop(): void {
    this.#running?.abort();
    this.#running = undefined;
    clearTimeout(this.#pausing);
    this.#pausing = undefined;
  }

  async #run(signal: AbortSignal): Promise<void> {
    let waitMs = BACKOFF_MS;
    while (!signal.aborted) {
      this.#pauseSoon();
      const status = await this.#connect(signal).catch(() => 0);
      if (signal.aborted) return;
      this.#pauseSoon();
      if (FINAL.has(status)) return;
      waitMs = status === 200 ? BACKOFF_MS : Math.min(waitMs * 2, BACKOFF_MAX_MS);
      await pause(waitMs * (0.5 + Math.random() / 2), signal);
    }
  }

  /** Reads the stream to its end. Returns the status of the answer. */
  async #connect(signal: AbortSignal): Promise<number> {
    if (Date.now() - (this.#heardMs ?? 0) > AWAY_MAX_MS) this.#position = undefined;
    const silent = new AbortController();
    let silence: ReturnType<typeof setTimeout> | undefined;
    const wait = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => silent.abort(), SILENCE_MS);
    };
    const heard = (): void => {
      wait();
      this.#heardMs = Date.now();
    };
    try {
      wait();
      const response = await florin.fetch(this.#request(), {
        signal: AbortSignal.any([signal, silent.signal]),
      });
      if (!response.ok || response.body === null) {
        await response.body?.cancel();
        return response.status;
      }
      heard();
      this.#resume();
      if (this.#position === undefined) this.#tell({ kind: "start" });
      for await (const { event, data, id } of readServerEvents(response.body, heard)) {
        if (event === "entry" && data !== undefined) this.#tell({ kind: "entry", data });
        else if (event === "gap") this.#tell({ kind: "start" });
        else if (event === "end") return 404;
        this.#position = id ?? this.#position;
      }
      return 200;
    } finally {
      clearTimeout(silence);
    }
  }

  #request() {
    const query = { events: "entry", accounts: this.#accounts, after: this.#position };
    return toWire("get", "/api/florin/v1/ledgers/{ledger}/stream", {
      path: { ledger: this.#ledger },
      query,
    });
  }

  /** Says that the page is not live, unless the stream resumes soon. */
  #pauseSoon(): void {
    this.#pausing ??= setTimeout(
      () => this.#show({ isLive: false, lastMs: this.#heardMs }),
      PAUSED_AFTER_MS,
    );
  }

  #resume(): void {
    clearTimeout(this.#pausing);
    this.#pausing = undefined;
    this.#show(LIVE);
  }

  #show(state: LiveState): void {
    if (state === this.#state) return;
    this.#state = state;
    for (const changed of this.#watchers) changed();
  }

  #tell(event: LiveEvent): void {
    for (const listener of this.#listeners) listener(event);
  }
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end);
  });

/** The streams that the page has listened to. Few exist at a time: those without listeners have no connection. */
const streams = new Map<string, LedgerStream>();
const STREAMS_MAX = 20;

/** The stream of a ledger, which all parts of the page share. `accounts` are addresses and patterns with commas; all by default. */
export function ledgerStream(ledger: string, accounts?: string): LedgerStream {
  const key = `${ledger} ${accounts ?? ""}`;
  const found = streams.get(key) ?? new LedgerStream(ledger, accounts);
  streams.delete(key);
  streams.set(key, found);
  const [oldest] = streams.keys();
  if (streams.size > STREAMS_MAX && oldest !== undefined) streams.delete(oldest);
  return found;
}
