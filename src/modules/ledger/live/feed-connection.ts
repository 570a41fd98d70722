import type { LedgerStub } from "#modules/ledger/object-calls.ts";
import { CLOSED_DELETED, PING } from "#modules/ledger/objects/log-listeners.ts";
import type { LogEnd, StreamedLog } from "#modules/ledger/objects/streamed-log.ts";
import { AppError, type Failure } from "#platform/errors.ts";
import { parseJson } from "#platform/json.ts";
import { logError } from "#platform/log.ts";
import { callObject, reachObject } from "#platform/objects/call.ts";
import { toError } from "#platform/result.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** The receiver of new entries. */
export interface LogReceiver {
  readonly uuid: string;
  /** The entry up to which it has the log. */
  readonly readTo: number;
  /** Takes the entries that follow `readTo`. */
  append(part: StreamedLog): void;
  /** Called when the ledger no longer exists. */
  end(): void;
}

/** Waits before the next attempt to connect or to read, in milliseconds. */
const RETRY_BACKOFF = doubling(100, 5000);
/** A connection that has been silent for this time counts as broken, in milliseconds. Pings are answered within `BEAT_MS`. */
const SILENT_MS = 40_000;
/** Reads that follow each other pause for so many times as long as the last one took, so that a ledger under load works for others. */
const PAUSE_SHARE = 2;
const PAUSE_MS_MAX = 1000;

const READ_OF_LOG = { object: "ledger", isRepeatable: true, timeoutMs: 10_000 } as const;

/**
 * Listens to the object of a ledger, and reads its new entries for all streams of the isolate. It lives in the request of one of the streams,
 * because sockets belong to a request, and ends with it. Never throws.
 *
 *     notice: the log goes to 120 ─► read 100…120 ─► feed
 *     socket closed, call failed  ─► wait ─► connect again ─► first notice
 */
export class FeedConnection {
  readonly #feed: LogReceiver;
  readonly #object: LedgerStub;
  #socket: WebSocket | undefined;
  /** The last entry that the object has told of. */
  #head = -1;
  #isReading = false;
  #isClosed = false;
  #failures = 0;
  #heardMs = Date.now();

  constructor(feed: LogReceiver, object: LedgerStub) {
    this.#feed = feed;
    this.#object = object;
    void this.#connect();
  }

  /** Whether something was heard a short while ago. A step of the clock only makes another stream connect. */
  get isAlive(): boolean {
    return !this.#isClosed && Math.abs(Date.now() - this.#heardMs) < SILENT_MS;
  }

  /** Asks for a sign of life. Only the request that has made the connection may call it. */
  ping(): void {
    try {
      this.#socket?.send(PING);
    } catch {
      // The event `close` follows.
    }
  }

  /** Tells the connection, of any request, that another one takes its place. */
  retire(): void {
    this.#isClosed = true;
  }

  /** Ends the connection. Only the request that has made it may call it. */
  close(): void {
    this.retire();
    try {
      this.#socket?.close();
    } catch {
      // The socket is closed already.
    }
  }

  async #connect(): Promise<void> {
    this.#socket = undefined;
    while (!this.#isClosed) {
      this.#heardMs = Date.now();
      try {
        return this.#listen(await this.#open());
      } catch (error) {
        await this.#failed(error, "a stream could not listen to its ledger");
      }
    }
  }

  async #open(): Promise<WebSocket> {
    const request = { headers: { upgrade: "websocket" } };
    const answer = await reachObject(
      this.#object.fetch("https://ledger/listen", request),
      READ_OF_LOG,
    );
    if (answer.webSocket !== null) return answer.webSocket;
    throw toError(await answer.json<Failure>()); // the object has written it
  }

  #listen(socket: WebSocket): void {
    socket.accept();
    if (this.#isClosed) return socket.close();
    this.#socket = socket;
    this.#heardMs = Date.now();
    socket.addEventListener("message", ({ data }) => this.#hear(String(data)));
    socket.addEventListener("error", () => this.#lost(socket));
    socket.addEventListener("close", ({ code }) => {
      if (code === CLOSED_DELETED) this.#end();
      else this.#lost(socket);
    });
  }

  #lost(socket: WebSocket): void {
    if (this.#isClosed || this.#socket !== socket) return;
    void this.#connect();
  }

  #hear(text: string): void {
    if (this.#isClosed) return this.close();
    this.#heardMs = Date.now();
    if (!text.startsWith("{")) return; // the answer to a ping
    const { uuid, head } = parseJson(text) as LogEnd; // the object has written it
    if (uuid !== this.#feed.uuid) return this.#end();
    this.#head = Math.max(this.#head, head);
    if (!this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    this.#isReading = true;
    while (!this.#isClosed && this.#feed.readTo < this.#head) {
      try {
        const startMs = Date.now();
        const { readTo, uuid } = this.#feed;
        const part = await callObject(this.#object.readStreamed(readTo, uuid), READ_OF_LOG);
        this.#failures = 0;
        // The object has lost its last commits in a crash, of which it must not have told.
        if (part.to <= readTo) break;
        this.#feed.append(part);
        const pauseMs = Math.min((Date.now() - startMs) * PAUSE_SHARE, PAUSE_MS_MAX);
        if (this.#feed.readTo < this.#head) await scheduler.wait(pauseMs);
      } catch (error) {
        await this.#failed(error, "a stream could not read the log of its ledger");
      }
    }
    this.#isReading = false;
  }

  async #failed(error: unknown, message: string): Promise<void> {
    if (this.#isClosed) return;
    if (error instanceof AppError && error.kind === "LEDGER_NOT_FOUND") return this.#end();
    this.#failures++;
    if (!(error instanceof AppError)) logError(message, error);
    await scheduler.wait(waitAfterFailures(RETRY_BACKOFF, this.#failures));
  }

  #end(): void {
    this.close();
    this.#feed.end();
  }
}
