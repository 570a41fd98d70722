import type { LogEnd } from "./streamed-log.ts";
import { AppError } from "#platform/errors.ts";
import { stringifyJson } from "#platform/json.ts";
import { toFailure, type Result } from "#platform/result.ts";
import { Throttle } from "#platform/work/throttle.ts";

/** The part of the object's state that holds the sockets, also while the object is not in memory. */
type SocketState = Pick<
  DurableObjectState,
  "acceptWebSocket" | "getWebSockets" | "setWebSocketAutoResponse"
>;

/** Shortest time between two notices, in milliseconds. */
const NOTICE_MS = 100;
/** Most sockets of one object. Each isolate of the Worker has one for all its streams of the ledger. */
const SOCKETS_MAX = 1000;
/** The code with which sockets are closed when the ledger is deleted. */
export const CLOSED_DELETED = 4404;
/** The text that listeners send to see that the socket works. The runtime answers it without the object. */
export const PING = "ping";
export const PONG = "pong";

/**
 * Tells listeners of new entries of the log: a notice says only how far the log goes, and each listener reads the entries that it needs. One
 * notice follows the first commit at once, and one tells of all commits of the next 100 ms:
 *
 *     commits    x    x x x x x x            x
 *     notices    │    │      │               │         to each socket, and one socket has all streams of an isolate
 *
 * The sockets hibernate: they stay open while the object leaves memory, so that a stream of a ledger without writes costs its object nothing.
 */
export class LogListeners {
  readonly #state: SocketState;
  readonly #head: () => LogEnd | undefined;
  readonly #notices = new Throttle(() => this.#tell());
  #hasAny: boolean;
  /** The last entry of which all sockets know, if this instance of the object has told them. */
  #told: number | undefined;

  /** `head` is the ledger as it is in the turn of the call; undefined where it cannot be read. */
  constructor(state: SocketState, head: () => LogEnd | undefined) {
    this.#state = state;
    this.#head = head;
    this.#hasAny = state.getWebSockets().length > 0;
  }

  /** Opens a socket, which is told at once how far the log goes. The answer has the failure as JSON where there is no socket. */
  accept(head: Result<LogEnd>): Response {
    if (!head.ok) return refusal(head);
    if (this.#state.getWebSockets().length >= SOCKETS_MAX) {
      const error = new AppError("OVERLOADED", "the ledger has too many listeners");
      return refusal({ ok: false, failure: toFailure(error) });
    }
    const { 0: client, 1: server } = new WebSocketPair();
    this.#state.setWebSocketAutoResponse(new WebSocketRequestResponsePair(PING, PONG));
    this.#state.acceptWebSocket(server);
    this.#hasAny = true;
    server.send(stringifyJson(head.value));
    return new Response(null, { status: 101, webSocket: client });
  }

  /** Notes that a write may have added entries. Costs nothing where nobody listens. */
  committed(): void {
    if (this.#hasAny) this.#notices.call(NOTICE_MS);
  }

  /** Closes all sockets, because the ledger is deleted. */
  end(): void {
    this.#told = undefined;
    for (const socket of this.#state.getWebSockets()) {
      quietly(() => socket.close(CLOSED_DELETED, "the ledger is deleted"));
    }
  }

  #tell(): void {
    const sockets = this.#state.getWebSockets();
    this.#hasAny = sockets.length > 0;
    const head = this.#head();
    if (head === undefined || head.head === this.#told) return;
    this.#told = head.head;
    const notice = stringifyJson(head);
    for (const socket of sockets) quietly(() => socket.send(notice));
  }
}

/** Does something with a socket that may have been closed meanwhile. */
function quietly(act: () => void): void {
  try {
    act();
  } catch {
    // The listener opens another socket, or has left.
  }
}

const STATUS_REFUSED = 503;

const refusal = ({ failure }: Extract<Result<LogEnd>, { ok: false }>): Response =>
  Response.json(failure, { status: STATUS_REFUSED });
