/**
 * Calls to URLs that users give: webhook endpoints, exporters, payment providers. What a user names must not reach into
 * the network that Florin runs in, so addresses that are not public are refused before a socket is opened, and redirects
 * are returned instead of followed. A public name that resolves to a private address cannot be seen from a Worker;
 * Cloudflare's own network refuses those.
 */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** The platform's `fetch`; tests pass their own. */
export const systemFetch: Fetch = (url, init) => fetch(url, init);

export interface OutboundPolicy {
  /** Lets calls reach loopback and private addresses: for development only. */
  readonly allowPrivateHosts: boolean;
}

export interface OutboundCall {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Covers the connection, the headers and the body of the answer. */
  readonly timeoutMs: number;
  /** What is kept of the answer's body, in bytes; the rest is not read. */
  readonly bodyBytesMax: number;
}

/**
 * The result of a call. An answer whose body broke off still has its status, the text that was read, and `bodyError`.
 */
export type OutboundResult =
  | {
      readonly kind: "answered";
      readonly status: number;
      readonly headers: Headers;
      readonly body: Uint8Array;
      readonly bodyError?: string;
    }
  | { readonly kind: "unreachable"; readonly error: string };

/** Longest URL that is accepted, in characters. */
export const OUTBOUND_URL_LENGTH_MAX = 2048;
/** Longest text of a transport error that is kept, in characters. */
const ERROR_LENGTH_MAX = 500;

/** Describes why a URL must not be called, as the rest of a sentence; `undefined` if it may be called. */
export function urlProblem(text: string, policy: OutboundPolicy): string | undefined {
  if (text.length > OUTBOUND_URL_LENGTH_MAX) {
    return `is longer than ${OUTBOUND_URL_LENGTH_MAX} characters`;
  }
  // The URL parser drops spaces at both ends and line breaks anywhere; what is stored is shown as it was sent.
  if (!ABSOLUTE.test(text) || !URL.canParse(text)) return "is not an absolute http(s) URL";
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return "must not contain credentials";
  if (policy.allowPrivateHosts || isPublicHost(url.hostname)) return undefined;
  return `names ${url.hostname}, which is not a public host`;
}

/** Calls a URL if the policy allows it, without following redirects. Never throws: a failure to get an answer is a result. */
export async function callOutbound(
  call: OutboundCall,
  { fetch, policy }: { fetch: Fetch; policy: OutboundPolicy },
): Promise<OutboundResult> {
  const deadline = new Deadline(call.timeoutMs);
  try {
    const problem = urlProblem(call.url, policy);
    if (problem !== undefined) return { kind: "unreachable", error: `the URL ${problem}` };
    const response = await deadline.race(
      fetch(call.url, {
        method: call.method,
        headers: call.headers,
        redirect: "manual",
        signal: deadline.signal,
        ...(call.body === undefined ? {} : { body: call.body }),
      }),
    );
    const { body, error } = await readUpTo(response, call.bodyBytesMax, deadline);
    const answer = {
      kind: "answered",
      status: response.status,
      headers: response.headers,
    } as const;
    return { ...answer, body, ...(error === undefined ? {} : { bodyError: error }) };
  } catch (error) {
    return { kind: "unreachable", error: textOf(error) };
  } finally {
    deadline.end();
  }
}

/** Ends a call in time, even if the abort does not reach the body of an answer. */
class Deadline {
  readonly #controller = new AbortController();
  readonly #passed: Promise<never>;
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(timeoutMs: number) {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#passed = promise;
    promise.catch(() => undefined); // It is rejected even when nothing waits for it any more.
    this.#timer = setTimeout(() => {
      const error = new Error(`no complete answer within ${timeoutMs / 1000} s`);
      reject(error);
      this.#controller.abort(error);
    }, timeoutMs);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  race<T>(work: Promise<T>): Promise<T> {
    return Promise.race([work, this.#passed]);
  }

  end(): void {
    clearTimeout(this.#timer);
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
  const reader = (response.body as ReadableStream<Uint8Array>).getReader(); // bodies are streams of bytes
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
    // The connection is given back even when the endpoint keeps on sending; whether that works changes nothing.
    reader.cancel().catch(() => undefined);
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

/**
 * Whether a host, as the URL parser writes it, may be on the internet. The parser has turned every notation of an IPv4
 * address (decimal, octal, hexadecimal, shortened, full-width digits) into four decimal numbers.
 */
function isPublicHost(hostname: string): boolean {
  if (hostname.startsWith("[")) return isPublicIpv6(hostname.slice(1, -1));
  const address = parseIpv4(hostname);
  return address === undefined ? isPublicName(hostname.replace(/\.+$/, "")) : isPublicIpv4(address);
}

/** Names without a dot and these top-level names are resolved inside a network only. */
const PRIVATE_SUFFIXES = [
  ".localhost",
  ".localdomain",
  ".local",
  ".internal",
  ".intranet",
  ".private",
  ".corp",
  ".home",
  ".lan",
  ".home.arpa",
];

const isPublicName = (name: string): boolean =>
  name.includes(".") && !PRIVATE_SUFFIXES.some((suffix) => name.endsWith(suffix));

/** First address and prefix length of the IPv4 blocks that are private, local, reserved or used for documentation. */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16], // the metadata service of most clouds, too
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
];

const isPublicIpv4 = (address: number): boolean =>
  !PRIVATE_IPV4.some(([first, prefix]) => {
    const size = 2 ** (32 - prefix);
    return Math.floor(address / size) === Math.floor((parseIpv4(first) ?? 0) / size);
  });

function parseIpv4(hostname: string): number | undefined {
  if (!/^\d+\.\d+\.\d+\.\d+$/.test(hostname)) return undefined;
  return hostname.split(".").reduce((address, part) => address * 256 + Number(part), 0);
}

/**
 * Only 2000::/3 is given out to the internet. That leaves out loopback, link-local and unique local addresses, and IPv4
 * addresses that are mapped or translated; blocks inside it that tunnel IPv4 or document are left out by name.
 */
function isPublicIpv6(address: string): boolean {
  const [first = 0, second = 0] = expandIpv6(address);
  if (first >>> 13 !== 1) return false;
  if (first === 0x2001 && (second < 0x0200 || second === 0x0db8)) return false;
  return first !== 0x2002 && !(first === 0x3fff && second < 0x1000);
}

function expandIpv6(address: string): number[] {
  const [head = "", tail = ""] = address.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [left, right] = [groups(head), groups(tail)];
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => 0), ...right];
}
