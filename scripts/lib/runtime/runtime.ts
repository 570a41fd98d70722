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
  /** The folder of the data of objects, databases and queues. */
  readonly dataPath: string;
  /** The address of the Worker's socket; by default loopback. */
  readonly host?: string;
  /** The port of the Worker's socket; 0 for any free port. */
  readonly port: number;
  /** The Worker variables besides those of wrangler.toml. */
  readonly vars: Readonly<Record<string, string>>;
  /** A callback for each line of the Worker's log. */
  readonly onLog: (line: string) => void;
  /** The network for a Worker that must not reach private hosts; by default the machine's own network. */
  readonly network?: NetworkPorts;
  /** The port of the runtime's inspector; 0 for any free port, absent for no inspector. */
  readonly inspectorPort?: number;
}

/**
 * Runs a built Worker, with the bindings of wrangler.toml; `urlOf` gives its URL. The Worker has a socket of its own. The
 * runtime's usual socket is for its tools and accepts headers that choose the Worker and the URL, so that it gets another port, whose
 * requests the Worker refuses (`FLORIN_DIRECT`). A separate Worker has the files, because a Worker with files sends every request first
 * through the local stand-in for the platform's file server, which doubles the cost of a request.
 *
 * The Worker is the last of the runtime's Workers. Miniflare writes the runtime's configuration into one buffer in the order of the Workers,
 * and copies the whole buffer whenever it grows by 4 kB. If the 4 MB of the Worker's script came first, a start would copy a gigabyte.
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
      handleStructuredLogs: ({ message }) => {
        if (!message.startsWith(OF_RUNTIME)) options.onLog(message);
      },
      resourcePersistencePath: options.dataPath,
      workers: [
        {
          name: `${name}-files`,
          modules: true,
          script: "export default { fetch: () => new Response(null, { status: 404 }) };",
          assets,
        },
        ...(allowsPrivate ? [] : [publicNetwork(outbound, options.network)]),
        {
          ...bare,
          name,
          modules: true,
          scriptPath: options.script,
          bindings: { ...worker.bindings, ...options.vars, FLORIN_DIRECT: "true" },
          // A stand-in for R2 in the state folder, only where it is wanted: it is one more service of the runtime.
          ...(options.vars["FLORIN_BACKUP_HOUR"] === undefined
            ? {}
            : { r2Buckets: { FLORIN_BACKUPS: { id: "backups" } } }),
          serviceBindings: {
            ASSETS: `${name}-files`,
            [PASSWORD_THREADS_BINDING]: { node: passwordThreads },
            [NETWORK_BINDING]: allowsPrivate ? { network: WHOLE_NETWORK } : outbound,
          },
          unsafeDirectSockets: [{ host: options.host ?? LOCAL_OPTIONS.host, port: options.port }],
          ...(allowsPrivate ? {} : { outboundService: outbound }),
        },
      ],
    }),
  );
}

/**
 * Makes the runtime tell the Worker the peer of a socket. Miniflare makes the runtime take `cf` from a header of its own tools, in which
 * case the runtime leaves the peer out; Miniflare has no option to change this. Without the header's name, `cf` is `{ clientIp }` of the
 * peer, which no client can set.
 */
function tellPeers(): void {
  Object.assign(CoreHeaders, { CF_BLOB: undefined });
}

/**
 * Flags of V8, which Miniflare takes from its environment. Each request, response and promise of an isolate holds memory of the runtime
 * that V8 does not count: about as much as the objects take in the heap. The runtime frees this memory when V8 collects the object, in the
 * same pause.
 *
 *     flag                        behaviour of V8 without the flag                     cost of the flag
 *     --initial-old-space-size=8  collect nothing in the small heaps of the stand-ins   not measurable
 *                                 for queues and databases for half an hour
 *     --max-semi-space-size=8     keep up to 16 MB of new objects until a scavenge,     bulks of 1,000 transactions are 6 % slower
 *                                 and free up to 86 MB in one pause of 100 to 250 ms
 *
 * Both flags are in megabytes and apply to each isolate. The Worker's heap is 25 MB without garbage.
 */
const V8_FLAGS = "--initial-old-space-size=8 --max-semi-space-size=8";

/** The beginning of lines that workerd writes for its own makers; one says at each start that no compiled code is cached. */
const OF_RUNTIME = "NOSENTRY ";

/** The options of the runtime's own network for all hosts that this machine reaches. */
const WHOLE_NETWORK = {
  allow: ["public", "private", "240.0.0.0/4"],
  tlsOptions: { trustBrowserCas: true, trustedCertificates: getCACertificates("extra") },
};

/** The URL of the Worker of `openRuntime`. Resolves when the Worker answers. */
export async function urlOf(runtime: Miniflare): Promise<URL> {
  const { name } = await readWorkerConfig();
  return runtime.unsafeGetDirectURL(name);
}

/** The database of a runtime of `openRuntime` or `openDatabases`. */
export async function databaseOf(runtime: Miniflare): Promise<LocalDatabase> {
  const { name } = await readWorkerConfig();
  return runtime.getD1Database("DB", name);
}

export type LocalDatabase = Awaited<ReturnType<Miniflare["getD1Database"]>>;

/** Opens the databases of wrangler.toml without the Worker. */
export async function openDatabases(dataPath: string): Promise<Miniflare> {
  const { name, worker } = await readWorkerConfig();
  return new Miniflare(
    convertV4MiniflareOptions({
      ...LOCAL_OPTIONS,
      name,
      modules: true,
      script: "export default {};",
      d1Databases: worker.d1Databases,
      resourcePersistencePath: dataPath,
    }),
  );
}

/** Calls `onStart` with the process id of each runtime that this process starts, until the returned function is called. */
export function watchRuntimes(onStart: (pid: number) => void): () => void {
  const listener = (message: unknown): void => {
    const { process: child } = message as { process: { pid?: number; spawnfile?: string } }; // Node documents this form.
    // The message comes just before the process exists.
    queueMicrotask(() => {
      if (child.pid !== undefined && child.spawnfile?.includes("workerd")) onStart(child.pid);
    });
  };
  subscribe("child_process", listener);
  return () => unsubscribe("child_process", listener);
}

/** Options that make the runtime reachable only from this machine, and keep it from asking the internet. */
const LOCAL_OPTIONS = {
  host: "127.0.0.1",
  cf: false,
  logRequests: false,
  log: new Log(LogLevel.WARN),
} as const;
