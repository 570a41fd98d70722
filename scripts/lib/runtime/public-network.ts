import { type LookupAddress, promises as dns } from "node:dns";
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIPv6, type LookupFunction } from "node:net";
import { pipeline } from "node:stream";
import { callbackify } from "node:util";
import { isPublicAddress, isPublicHost } from "#platform/http/public-hosts.ts";

/** Finds the addresses of a name. Throws if it has none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

/** Where the network touches the internet; tests replace it. */
export interface NetworkPorts {
  readonly resolve: Resolve;
  /** They open the connections, to what the lookup gives them only. */
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
}

/** Carries the whole URL of a call, of which the runtime's own request to Node keeps the path only. */
const URL_HEADER = "florin-outbound-url";
/** Whether an answer is the one of the server that was called, or why there is none. */
const RESULT_HEADER = "florin-outbound-result";
const ANSWERED = "answered";

/**
 * A Worker that is the outbound network of others and reaches the internet only. Unlike the runtime's own network
 * (`allow: ["public"]`) it goes by the same table of addresses as the Worker, and tells what it refuses from what is
 * broken. Calls are made in this process.
 */
export const publicNetwork = (name: string, ports?: NetworkPorts) => ({
  name,
  modules: true,
  script: SCRIPT,
  serviceBindings: { INTERNET: { node: publicNetworkHandler(ports) } },
});

const SCRIPT = `export default {
  async fetch(request, env) {
    const headers = new Headers(request.headers);
    headers.set("${URL_HEADER}", request.url);
    const response = await env.INTERNET.fetch(request, { headers, redirect: "manual" });
    const result = response.headers.get("${RESULT_HEADER}");
    if (result === "${ANSWERED}") return response;
    throw new Error(decodeURIComponent(result ?? "the call is not passed on"));
  },
};`;

export type NetworkHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => void;

/** Makes the call that a request of the Worker describes, and hands on its answer. Never throws. */
export function publicNetworkHandler(ports: NetworkPorts = systemPorts()): NetworkHandler {
  const lookup = publicLookup(ports.resolve);
  return (incoming, outgoing) => {
    try {
      forward(incoming, outgoing, (url, options) =>
        url.startsWith("https:")
          ? requestHttps(url, { ...options, lookup, agent: ports.agents.https })
          : requestHttp(url, { ...options, lookup, agent: ports.agents.http }),
      );
    } catch (error) {
      fail(outgoing, error);
    }
  };
}

function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  open: (url: string, options: RequestOptions) => ClientRequest,
): void {
  const url = String(incoming.headers[URL_HEADER]);
  const { hostname } = new URL(url);
  if (!isPublicHost(hostname)) throw new Error(`${hostname} is not a public host`);
  const headers = withoutHopHeaders(incoming.headers);
  const call = open(url, { method: incoming.method ?? "GET", headers });
  call.once("response", (answer) => {
    try {
      const headers = { ...withoutHopHeaders(answer.headers), [RESULT_HEADER]: ANSWERED };
      outgoing.writeHead(answer.statusCode ?? 0, headers);
      pipeline(answer, outgoing, () => undefined); // An answer that breaks off breaks off for the Worker, too.
    } catch (error) {
      fail(outgoing, error); // Node reads answers that it does not write, such as one with the status 099.
      call.destroy();
    }
  });
  call.on("error", (error) => fail(outgoing, error));
  // The Worker has read what it wants, or gave up.
  outgoing.once("close", () => call.destroy());
  incoming.pipe(call);
}

/** Tells the Worker why there is no answer. */
function fail(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.destroyed) return;
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(502, { [RESULT_HEADER]: encodeURIComponent(textOf(error)) }).end();
}

function textOf(error: unknown): string {
  // What Node throws when no address of a name accepts a connection; it has no message of its own.
  if (error instanceof AggregateError) return error.errors.map(textOf).join("; ");
  return (error instanceof Error ? error.message : String(error)).toWellFormed();
}

/**
 * How a connection finds the addresses of a name. It connects to the addresses that were checked here: what the name
 * resolves to a moment later does not matter.
 */
function publicLookup(resolve: Resolve): LookupFunction {
  const find = callbackify((name: string) => publicAddresses(name, resolve));
  return (name, { all }, callback) =>
    find(name, (error: Error | null, found) => {
      if (error !== null) return callback(error, []);
      if (all === true) return callback(null, found);
      const [first] = found;
      return callback(null, first?.address ?? "", first?.family);
    });
}

/** The addresses of a name. A name is refused whole if one of them is not public. */
async function publicAddresses(name: string, resolve: Resolve): Promise<LookupAddress[]> {
  const addresses = await resolve(name);
  if (addresses.length === 0) throw new Error(`${name} has no address`);
  if (!addresses.every(isPublicAddress)) throw new Error(`the address of ${name} is not public`);
  return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
}

/** Wait for an answer of DNS, in milliseconds, and how often it is asked. */
const DNS_TIMEOUT_MS = 3000;
const DNS_TRIES = 2;

/**
 * Asks DNS itself: lookups by the operating system share four threads, which four names whose servers are silent would
 * hold. A resolver of its own for each name sees a change of the machine's DNS servers.
 */
const resolveByDns: Resolve = async (name) => {
  const resolver = new dns.Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const failures = answers.flatMap((answer) =>
    answer.status === "rejected" ? [textOf(answer.reason)] : [],
  );
  if (failures.length === answers.length) {
    throw new Error(`DNS gives no address of ${name}: ${failures.join("; ")}`);
  }
  return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
};

/** Servers close idle connections after five seconds or more; one that closes during a call would fail it. */
const IDLE_TIMEOUT_MS = 4000;

function systemPorts(): NetworkPorts {
  const options = { keepAlive: true, timeout: IDLE_TIMEOUT_MS };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return { resolve: resolveByDns, agents };
}

/** What belongs to one connection, or to the messages between this process and the Worker. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  "connection",
  "host",
  "keep-alive",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  URL_HEADER,
]);

const withoutHopHeaders = (headers: IncomingHttpHeaders): IncomingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !HOP_HEADERS.has(name) && !name.startsWith("mf-")),
  );
