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

/** The access of the network to the internet, which tests replace. */
export interface NetworkPorts {
  readonly resolve: Resolve;
  /** The agents that open connections, only to addresses that the lookup gives. */
  readonly agents: { readonly http: HttpAgent; readonly https: HttpsAgent };
}

/** The header with the whole URL of a call: the runtime's request to Node keeps only the path. */
const URL_HEADER = "florin-outbound-url";
/** The header that tells whether an answer comes from the called server, or why the call failed. */
const RESULT_HEADER = "florin-outbound-result";
const ANSWERED = "answered";

/**
 * The options of a Worker that is the outbound network of other Workers and reaches only the public internet. It replaces the runtime's own
 * network (`allow: ["public"]`), because it uses the same table of addresses as Florin's Worker and tells refusals from broken connections.
 * This process makes the calls:
 *
 *     Worker ─ fetch ─► network Worker ─ URL in a header ─► this process ─ DNS, check of addresses ─► internet
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

/** The handler that makes the call of a Worker's request and forwards its answer. The handler never throws. */
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
  // The Worker has read enough of the answer, or has given up.
  outgoing.once("close", () => call.destroy());
  incoming.pipe(call);
}

/** Tells the Worker the reason for a missing answer. */
function fail(outgoing: ServerResponse, error: unknown): void {
  if (outgoing.destroyed) return;
  if (outgoing.headersSent) outgoing.destroy();
  else outgoing.writeHead(502, { [RESULT_HEADER]: encodeURIComponent(textOf(error)) }).end();
}

function textOf(error: unknown): string {
  // Node throws an `AggregateError`, without a message, if no address of a name accepts a connection.
  if (error instanceof AggregateError) return error.errors.map(textOf).join("; ");
  return (error instanceof Error ? error.message : String(error)).toWellFormed();
}

/**
 * The lookup of connections. A connection uses the addresses that were checked here, so that a later change of the name's addresses has no
 * effect (DNS rebinding).
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

/** The addresses of a name. Throws if one of the addresses is not public. */
async function publicAddresses(name: string, resolve: Resolve): Promise<LookupAddress[]> {
  const addresses = await resolve(name);
  if (addresses.length === 0) throw new Error(`${name} has no address`);
  if (!addresses.every(isPublicAddress)) throw new Error(`the address of ${name} is not public`);
  return addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
}

/** Wait for an answer of DNS, in milliseconds, and the number of attempts. */
const DNS_TIMEOUT_MS = 3000;
const DNS_TRIES = 2;

/**
 * Resolves a name by DNS directly. Lookups of the operating system share four threads, which four names with silent servers would block. A
 * new resolver for each name sees changes of the machine's DNS servers.
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

/**
 * Time after which an idle connection is closed, in milliseconds. Servers close idle connections after five seconds or more, and a
 * connection that closes during a call would fail the call.
 */
const IDLE_TIMEOUT_MS = 4000;

function systemPorts(): NetworkPorts {
  const options = { keepAlive: true, timeout: IDLE_TIMEOUT_MS };
  const agents = { http: new HttpAgent(options), https: new HttpsAgent(options) };
  return { resolve: resolveByDns, agents };
}

/** Headers that belong to one connection, or to messages between this process and the Worker. */
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
