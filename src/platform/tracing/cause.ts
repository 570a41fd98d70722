import { AsyncLocalStorage } from "node:async_hooks";
import {
  formatTraceparent,
  newSpanId,
  newTraceId,
  parseTraceContext,
  type TraceContext,
} from "./trace-context.ts";

/** The headers of W3C Trace Context that a request comes with. */
interface TraceHeaders {
  get(name: "traceparent" | "tracestate"): string | null;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/**
 * What has caused some work: a request, or a job of the deployment. Everything that the work leads to has the same cause: its log lines,
 * events, deliveries and calls of other systems, today or after retries tomorrow.
 *
 *     request ─► runCaused ─┬─► log line          requestId, traceId
 *     x-request-id,         ├─► call outside ───► traceparent, tracestate
 *     traceparent           ├─► event (`cause`) ─► queue ─► delivery (`cause`) ─► lane: runCaused ─► call outside
 *                           └─► write of a ledger ─► message (`causes`) ─► event ─► …
 *
 * The trace of a request without a valid `traceparent` is a new one, whose id is that of the request where the request has a UUID.
 */
export class Cause {
  readonly requestId: string;
  /** Read when they are first needed: most requests need no trace. */
  #headers: TraceHeaders | undefined;
  #given: TraceContext | undefined;
  #own: TraceContext | undefined;

  private constructor(requestId: string, headers: TraceHeaders | undefined, given?: TraceContext) {
    this.requestId = requestId;
    this.#headers = headers;
    this.#given = given;
  }

  static ofRequest(requestId: string, headers: TraceHeaders): Cause {
    return new Cause(requestId, headers);
  }

  static ofJob(requestId: string): Cause {
    return new Cause(requestId, undefined);
  }

  /** Reads a text of `toText`. */
  static parse(text: string): Cause {
    const [requestId = "", traceparent, ...state] = text.split(" ");
    const given =
      traceparent === undefined ? undefined : parseTraceContext(traceparent, state.join(" "));
    return new Cause(requestId, undefined, given);
  }

  /** The cause as it is stored beside what it has led to: the request's id, and the trace unless it follows from the id. */
  toText(): string {
    this.#readHeaders();
    if (this.#given === undefined && UUID.test(this.requestId)) return this.requestId;
    const { traceparent, tracestate } = this.#traceHeaders(this.#trace.parentId);
    return [this.requestId, traceparent, tracestate ?? ""].join(" ").trimEnd();
  }

  get traceId(): string {
    return this.#trace.traceId;
  }

  /** The headers of a call that the work makes, each of which is a span of its own. */
  callHeaders(): Readonly<Record<string, string>> {
    const { traceparent, tracestate } = this.#traceHeaders(newSpanId());
    return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
  }

  #traceHeaders(parentId: string): { traceparent: string; tracestate: string | undefined } {
    const trace = this.#trace;
    const tracestate = trace.state === "" ? undefined : trace.state;
    return { traceparent: formatTraceparent({ ...trace, parentId }), tracestate };
  }

  get #trace(): TraceContext {
    this.#readHeaders();
    return this.#given ?? (this.#own ??= beginTrace(this.requestId));
  }

  #readHeaders(): void {
    const headers = this.#headers;
    if (headers === undefined) return;
    this.#headers = undefined;
    const traceparent = headers.get("traceparent");
    if (traceparent === null) return;
    this.#given = parseTraceContext(traceparent, headers.get("tracestate"));
  }
}

/** A new trace. It counts as sampled, so that systems which sample as their callers do go on as if they had been called without a trace. */
const beginTrace = (requestId: string): TraceContext => ({
  traceId: UUID.test(requestId) ? requestId.replaceAll("-", "") : newTraceId(),
  parentId: newSpanId(),
  isSampled: true,
  state: "",
});

const causes = new AsyncLocalStorage<Cause>();

/** Does some work because of a cause. */
export const runCaused = <T>(cause: Cause, work: () => T): T => causes.run(cause, work);

/** Does some work because of a stored cause; without one, the cause is that of the caller. */
export const runCausedBy = <T>(cause: string | null | undefined, work: () => T): T =>
  cause === null || cause === undefined || cause === ""
    ? work()
    : runCaused(Cause.parse(cause), work);

/** The cause of a call that the present work makes. Work that began by itself, such as a poll of a provider, is its own cause. */
export const causeOfCall = (): Cause => causes.getStore() ?? Cause.ofJob(crypto.randomUUID());

/** The cause of the present work; undefined for work that began in an object by itself. */
export const currentCause = (): Cause | undefined => causes.getStore();
