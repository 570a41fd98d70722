import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getCACertificates } from "node:tls";
import { convertV4MiniflareOptions, CoreHeaders, Log, LogLevel, Miniflare } from "miniflare";
import { passwordThreads } from "./password-threads.ts";
import { type NetworkPorts, publicNetwork } from "./public-network.ts";
import { readWorkerConfig } from "./worker-config.ts";
import { NETWORK_BINDING } from "#platform/http/outbound.ts";
import { platformSettings } from "#platform/platform-settings.ts";
import { PASSWORD_THREADS_BINDING } from "#platform/secrets/password-key.ts";

export interface RuntimeOptions {
  /** The script of the built Worker. */
  readonly script: string;
  /** Where its objects, databases and queues keep their data. */
  readonly dataPath: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The Worker variables, next to those of wrangler.toml. */
  readonly vars: Readonly<Record<string, string>>;
  /** Gets each line that the Worker logs. */
  readonly onLog: (line: string) => void;
  /** Where the Worker's calls go if it must not reach private hosts; the machine's own network if it is not given. */
  readonly network?: NetworkPorts;
  /** Where the runtime can be inspected; 0 takes any free port. Without it, it can't be. */
  readonly inspectorPort?: number;
}

/**
 * Runs a built Worker on loopback, with the bindings of wrangler.toml; `urlOf` tells where. It has a socket of its own. The
 * runtime's usual way in is for its tools: it takes headers that choose the Worker and the URL, so that it gets another port,
 * and the Worker refuses what comes from there (`FLORIN_DIRECT`). A separate Worker has the files, because a Worker with files
 * sends every request through the local stand-in for the platform's file server first, which doubles the cost of a request.
 */
export async function openRuntime(options: RuntimeOptions): Promise<Miniflare> {
  const { name, worker } = await readWorkerConfig();
  const { assets, ...bare } = worker;
  const { FLORIN_ALLOW_PRIVATE_HOSTS: allowsPrivate } = platformSettings.of(options.vars);
  process.env["MINIFLARE_WORKERD_V8_FLAGS"] ??= V8_FLAGS;
  const outbound = `${name}-outbound`;
  tellPeers();
  return new Miniflare(
    convertV4MiniflareOptions({
      ...LOCAL_OPTIONS,
      port: 0,
      ...(options.inspectorPort === undefined ? {} : { inspectorPort: options.inspectorPort }),
      handleStructuredLogs: ({ message }) => options.onLog(message),
      resourcePersistencePath: options.dataPath,
      workers: [
        {
          ...bare,
          name,
          modules: true,
          scriptPath: options.script,
          bindings: { ...worker.bindings, ...options.vars, FLORIN_DIRECT: "true" },
          serviceBindings: {
            ASSETS: `${name}-files`,
            [PASSWORD_THREADS_BINDING]: { node: passwordThreads },
            [NETWORK_BINDING]: allowsPrivate ? { network: WHOLE_NETWORK } : outbound,
          },
          unsafeDirectSockets: [{ host: LOCAL_OPTIONS.host, port: options.port }],
          ...(allowsPrivate ? {} : { outboundService: outbound }),
        },
        {
          name: `${name}-files`,
          modules: true,
          script: "export default { fetch: () => new Response(null, { status: 404 }) };",
          assets,
        },
        ...(allowsPrivate ? [] : [publicNetwork(outbound, options.network)]),
      ],
    }),
  );
}

/**
 * Makes the runtime tell the Worker who is at the other end of a socket. Miniflare tells the runtime to take `cf` from a header that its
 * own tools send, in which case the runtime leaves the peer out; no option of Miniflare says otherwise. Without the header's name, `cf` is
 * `{ clientIp }` of the peer, and no client can set it.
 */
function tellPeers(): void {
  Object.assign(CoreHeaders, { CF_BLOB: undefined });
}

/**
 * Flags of V8, which Miniflare takes from its environment. Each request, response and promise of an isolate holds memory of the runtime that
 * V8 does not count: about as much as the objects take in the heap. The runtime frees it where V8 collects the object, in the same pause.
 *
 *     flag                        what V8 would do without it                           what it costs
 *     --initial-old-space-size=8  collect nothing in the small heaps of the stand-ins   nothing that can be told
 *                                 for queues and databases for half an hour
 *     --max-semi-space-size=8     keep up to 16 MB of new objects until a scavenge,     bulks of 1,000 transactions are 6 % slower
 *                                 and free up to 86 MB in one pause of 100 to 250 ms
 *
 * Both are in megabytes and hold for each isolate. The Worker's heap is 25 MB without garbage.
 */
const V8_FLAGS = "--initial-old-space-size=8 --max-semi-space-size=8";

/** All that this machine reaches, as the runtime's own network has it. */
const WHOLE_NETWORK = {
  allow: ["public", "private", "240.0.0.0/4"],
  tlsOptions: { trustBrowserCas: true, trustedCertificates: getCACertificates("extra") },
};

/** Where the Worker of `openRuntime` answers, once it does. */
export const urlOf = (runtime: Miniflare): Promise<URL> => runtime.unsafeGetDirectURL();

/** Opens the databases of wrangler.toml without the Worker. */
export async function openDatabases(dataPath: string): Promise<Miniflare> {
  const { worker } = await readWorkerConfig();
  return new Miniflare(
    convertV4MiniflareOptions({
      ...LOCAL_OPTIONS,
      modules: true,
      script: "export default {};",
      d1Databases: worker.d1Databases,
      resourcePersistencePath: dataPath,
    }),
  );
}

/** Calls `onStart` with the process id of each runtime that this process starts, until the result is called. */
export function watchRuntimes(onStart: (pid: number) => void): () => void {
  const listener = (message: unknown): void => {
    const { process: child } = message as { process: { pid?: number; spawnfile?: string } }; // as Node documents it
    // The message comes just before the process exists.
    queueMicrotask(() => {
      if (child.pid !== undefined && child.spawnfile?.includes("workerd")) onStart(child.pid);
    });
  };
  subscribe("child_process", listener);
  return () => unsubscribe("child_process", listener);
}

/** With these options the runtime is reachable from this machine only and asks the internet for nothing. */
const LOCAL_OPTIONS = {
  host: "127.0.0.1",
  cf: false,
  logRequests: false,
  log: new Log(LogLevel.WARN),
} as const;
