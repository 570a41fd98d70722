import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import type { Miniflare } from "miniflare";
import { z } from "zod";
import { OperatorError } from "../project.ts";
import type { StateFolder } from "../state.ts";
import { reportMemory } from "./memory-report.ts";
import { openMigrated } from "./migrate.ts";
import type { NetworkPorts } from "./public-network.ts";
import { openRuntime, urlOf, watchRuntimes } from "./runtime.ts";
import { parseJson } from "#platform/json.ts";

export interface ServerOptions {
  /** The script of the built Worker. */
  readonly script: string;
  readonly folder: StateFolder;
  /** The address of the Worker's socket; by default loopback. */
  readonly host?: string;
  /** The port of the Worker's socket; 0 for any free port. */
  readonly port: number;
  readonly vars: Readonly<Record<string, string>>;
  readonly onLog: (line: string) => void;
  /** The network for a Worker that must not reach private hosts; by default the machine's own network. */
  readonly network?: NetworkPorts;
  /** The port of the runtime's inspector; 0 for any free port, absent for no inspector. */
  readonly inspectorPort?: number;
}

export interface Server {
  readonly url: string;
  /** The URL of the runtime's inspector, if the options ask for one. */
  readonly inspectorUrl?: string;
  /** Ends the runtime; the state folder stays open. */
  readonly stop: () => Promise<void>;
}

/** Starts the Worker on a state folder, and resolves when it answers. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const { folder, host, port } = options;
  await freePort(port, host); // For a used port, the runtime itself only prints a stack trace.
  let endReport: (() => void) | undefined;
  const unwatch = watchRuntimes((pid) => {
    folder.recordRuntime(pid);
    endReport?.();
    endReport = reportMemory(pid, options.onLog);
  });
  const { dataPath } = folder;
  const runtime = await openMigrated(dataPath, () => openRuntime({ ...options, dataPath }));
  const stop = async (): Promise<void> => {
    await runtime.dispose();
    unwatch();
    endReport?.();
  };
  try {
    const url = await answeringUrl(runtime);
    if (options.inspectorPort === undefined) return { url, stop };
    return { url, inspectorUrl: (await runtime.getInspectorURL()).href, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A free port of an address: the wanted one, or any for 0. Throws `OperatorError` if the wanted port is in use, or the address is none of this machine. */
export function freePort(wanted: number, host: string = LOOPBACK): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (cause) => reject(portError(wanted, cause)));
    probe.listen(wanted, host, () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : wanted;
      probe.close(() => resolve(port));
    });
  });
}

const LOOPBACK = "127.0.0.1";

const portError = (port: number, cause: Error): OperatorError =>
  new OperatorError(
    `Port ${port} is not free (${cause.message}). Set PORT to another one, or to 0 for any free port.`,
    { cause },
  );

const Versions = z.object({ problems: z.array(z.string()).optional() });

const READY_TIMEOUT_MS = 30_000;
const READY_POLL_MS = 50;
/** Time after which problems of the state are believed, in milliseconds: the Worker remembers for a moment that it was asked before its tables were there. */
const PROBLEMS_MS = 2000;

/** Waits until the Worker answers. Throws `OperatorError` if the state lacks tables that the Worker needs: requests would fail in the middle of their work. */
async function answeringUrl(runtime: Miniflare): Promise<string> {
  const { origin } = await urlOf(runtime);
  const sinceMs = performance.now();
  for (;;) {
    const response = await fetch(`${origin}/versions`);
    const answer = await response.text();
    const waitedMs = performance.now() - sinceMs;
    const { problems = [] } = response.ok ? Versions.parse(parseJson(answer)) : {};
    if (response.ok && problems.length === 0) return origin;
    if (problems.length > 0 && waitedMs > PROBLEMS_MS) {
      throw new OperatorError(
        `The state cannot be used. Its migrations have the names of this version's, but its tables differ:\n${problems.join("\n")}`,
      );
    }
    if (waitedMs > READY_TIMEOUT_MS) {
      throw new Error(`GET ${origin}/versions answers ${response.status}: ${answer}`);
    }
    await delay(READY_POLL_MS);
  }
}
