import { isPublicHost } from "./public-hosts.ts";
import { causeOfCall } from "#platform/tracing/cause.ts";
import { ownDeadline, type RunningDeadline, type StartDeadline } from "#platform/work/deadline.ts";

/**
 * A function that calls URLs of users: webhook endpoints, exporters, payment providers. A user's URL must not reach into the network that
 * Florin runs in, so that addresses that are not public are refused before a socket is opened, and redirects are returned instead of
 * followed. A Worker does not see the address that a name resolves to: Cloudflare's own network refuses addresses that are not public, and
 * so does the network of `npm start` (scripts/lib/runtime/public-network.ts).
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/**
 * The platform's `fetch`; tests pass a fetch of their own. Under `npm start`, calls go through a binding: the runtime's own `fetch` passes
 * a Worker of its tools, which doubles the cost of a call.
 */
export const systemFetch = (env: object): Fetch =>
  boundFetch(env, NETWORK_BINDING) ?? ((url, init) => fetch(url, init));

/** The name of the binding to the network under `npm start`. */
export const NETWORK_BINDING = "FLORIN_NETWORK";

/** A `fetch` through an optional binding; undefined if the deployment lacks the binding. */
export function boundFetch(env: object, name: string): Fetch | undefined {
  const binding: unknown = Reflect.get(env, name);
  return isFetcher(binding) ? (url, init) => binding.fetch(url, init) : undefined;
}

const isFetcher = (value: unknown): value is { readonly fetch: Fetch } =>
  typeof value === "object" &&
  value !== null &&
  "fetch" in value &&
  typeof value.fetch === "function";

export interface OutboundPolicy {
  /** Whether calls may reach loopback and private addresses: for development only. */
  readonly allowPrivateHosts: boolean;
}

export interface OutboundCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** A URL, or the judgement of `checkUrl` for a URL that is called often. */
  readonly url: string | CheckedUrl;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The time limit for the connection, the headers and the body of the answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Most bytes that are kept of the answer's body; the rest is not read. */
  readonly bodyBytesMax: number;
}

/** The result of a call. An answer whose body broke off has its status, the bytes that were read, and `bodyError`. */
export type OutboundResult =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Headers;
      readonly body: Uint8Array;
      readonly bodyError?: string;
    }
  | { readonly kind: "unreachable"; readonly error: string };

/** A judgement of a URL: a problem, or the form in which the URL parser writes the URL. */
export type CheckedUrl =
  | { readonly problem: string }
  | { readonly problem: undefined; readonly href: string };

/** Longest URL that is accepted, in characters. */
export const OUTBOUND_URL_LENGTH_MAX = 2048;
/** Longest text of a transport error that is kept, in characters. */
const ERROR_LENGTH_MAX = 500;

/** Describes why a URL must not be called, as the rest of a sentence; `undefined` if it may be called. */
export function urlProblem(text: string, policy: OutboundPolicy): string | undefined {
  if (text.length > OUTBOUND_URL_LENGTH_MAX) {
    return `is longer than ${OUTBOUND_URL_LENGTH_MAX} characters`;
  }
  // The URL parser drops spaces at both ends and line breaks anywhere, but the stored text is shown as the user sent it.
  if (!ABSOLUTE.test(text) || !URL.canParse(text)) return "is not an absolute http(s) URL";
  const url = new URL(text);
  if (url.href.length > OUTBOUND_URL_LENGTH_MAX) {
    return `is longer than ${OUTBOUND_URL_LENGTH_MAX} characters in its encoded form`;
  }
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  if (policy.allowPrivateHosts || isPublicHost(url.hostname)) return undefined;
  return `names ${url.hostname}, which is not a public host`;
}

/**
 * Judges a URL for a call. The call uses the URL in the form that the URL parser writes, because another parser could find another host in
 * the user's text.
 */
export function checkUrl(text: string, policy: OutboundPolicy): CheckedUrl {
  const problem = urlProblem(text, policy);
  return problem === undefined ? { problem, href: new URL(text).href } : { problem };
}

/**
 * Resolves if a call may be made now. Throws `DISARMED` while the deployment is disarmed, and `OVERLOADED` if nobody can say whether it is:
 * an error for which `isHeld` holds.
 */
export type OutboundGate = () => Promise<void>;

/** The gate of calls that a disarmed deployment makes all the same: those by which people and programs prove who they are. */
export const OPEN_GATE: OutboundGate = async () => undefined;

export interface OutboundAccess {
  readonly fetch: Fetch;
  readonly policy: OutboundPolicy;
  readonly gate: OutboundGate;
  /** The start of a deadline. Objects that make many calls pass `sharedDeadlines()`; the default is a timer for each call. */
  readonly startDeadline?: StartDeadline;
}

/**
 * Calls a URL if the policy allows it, without following redirects, as a part of the trace of the present work, or in one of its own. A failure
 * to get an answer is a result, and no error. Throws what the gate throws, for a call that was not attempted.
 */
export async function callOutbound(
  call: OutboundCall,
  { fetch, policy, gate, startDeadline = ownDeadline }: OutboundAccess,
): Promise<OutboundResult> {
  await gate();
  const deadline = new Deadline(call.timeoutMs, startDeadline);
  try {
    const url = typeof call.url === "string" ? checkUrl(call.url, policy) : call.url;
    if (url.problem !== undefined) return { kind: "unreachable", error: `the URL ${url.problem}` };
    const response = await deadline.race(
      fetch(url.href, {
        method: call.method,
        headers: { ...call.headers, ...causeOfCall().callHeaders() },
        redirect: "manual",
        signal: deadline.signal,
        ...(call.body === undefined ? {} : { body: call.body }),
      }),
    );
    const { status, headers } = response;
    const length = headers.get("content-length");
    // The connection of an empty answer is free for the next call without a read; most answers to webhooks are empty.
    if (length === "0") return { kind: "answered", status, headers, body: NOTHING };
    const { body, error } = isKnownSmall(headers, length, call.bodyBytesMax)
      ? await readWhole(response, deadline)
      : await readUpTo(response, call.bodyBytesMax, deadline);
    const answer = { kind: "answered", status, headers, body } as const;
    return error === undefined ? answer : { ...answer, bodyError: error };
  } catch (error) {
    return { kind: "unreachable", error: textOf(error) };
  } finally {
    deadline.end();
  }
}

/** Ends a call in time, even if the abort does not reach the body of an answer. */
class Deadline {
  readonly #running: RunningDeadline;
  #error: Error | undefined;
  /** Rejects the promise of the current `race`. */
  #reject: ((error: Error) => void) | undefined;

  constructor(timeoutMs: number, startDeadline: StartDeadline) {
    this.#running = startDeadline(timeoutMs, () => {
      this.#error = new Error(`no complete answer within ${timeoutMs / 1000} s`);
      this.#reject?.(this.#error);
    });
  }

  get signal(): AbortSignal {
    return this.#running.signal;
  }

  end(): void {
    this.#running.end();
  }

  /** Waits for work or the deadline. Calls must not overlap. Costs less than `Promise.race`. */
  race<T>(work: Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#reject = reject;
    if (this.#error !== undefined) reject(this.#error);
    work.then(resolve, reject);
    return promise;
  }
}

async function readUpTo(
  response: Response,
  bytesMax: number,
  deadline: Deadline,
): Promise<{ body: Uint8Array; error?: string }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const kept = (): Uint8Array => concatenate(chunks, Math.min(size, bytesMax));
  if (response.body === null) return { body: kept() };
  const reader = (response.body as ReadableStream<Uint8Array>).getReader(); // Bodies are streams of bytes.
  try {
    while (size < bytesMax) {
      const { done, value } = await deadline.race(reader.read());
      if (done) return { body: kept() };
      chunks.push(value);
      size += value.byteLength;
    }
    return { body: kept() };
  } catch (error) {
    return { body: kept(), error: textOf(error) };
  } finally {
    // The cancellation frees the connection even if the endpoint goes on sending. A failure of the cancellation has no consequences.
    reader.cancel().catch(() => undefined);
  }
}

const NOTHING = new Uint8Array();

/** Whether the declared length of an answer is within the limit. A compressed answer becomes longer than it declares. */
function isKnownSmall(headers: Headers, length: string | null, bytesMax: number): boolean {
  if (length === null || !/^\d{1,9}$/.test(length) || Number(length) > bytesMax) return false;
  return !headers.has("content-encoding");
}

/** Reads a small body at once, which costs much less than reading chunks. */
async function readWhole(
  response: Response,
  deadline: Deadline,
): Promise<{ body: Uint8Array; error?: string }> {
  try {
    return { body: new Uint8Array(await deadline.race(response.arrayBuffer())) };
  } catch (error) {
    return { body: new Uint8Array(), error: textOf(error) };
  }
}

function concatenate(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, length - offset);
    whole.set(part, offset);
    offset += part.byteLength;
  }
  return whole;
}

const textOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, ERROR_LENGTH_MAX);

const ABSOLUTE = /^https?:\/\/[^\s/?#\\]\S*$/i;
