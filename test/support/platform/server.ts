import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { end, type ProcessIdentity } from "#scripts/lib/processes.ts";
import type { ServerAddress } from "#scripts/lib/state.ts";
import { ServerLog } from "#test/support/platform/logs/server-log.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** A state folder that no other test uses. */
export const freshFolder = (): string => mkdtempSync(join(tmpdir(), "florin-state-"));

/** The outcome of `npm start` without a server. */
export interface FailedStart {
  readonly code: number | null;
  readonly stderr: string;
}

export interface CallInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body of the request as JSON, in which integers may be `bigint`. */
  readonly body?: unknown;
}

/** Calls a running server, whoever has started it. */
export class ServerClient implements ServerAddress {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  #token: Promise<string> | undefined;

  constructor({ url, clientId, clientSecret }: ServerAddress) {
    this.url = url;
    this.clientId = clientId;
    this.clientSecret = clientSecret;
  }

  /** Calls the API with all scopes of the first client. */
  async api(path: string, init: CallInit = {}): Promise<Response> {
    this.#token ??= this.token();
    return fetch(`${this.url}${path}`, {
      method: init.method ?? (init.body === undefined ? "GET" : "POST"),
      headers: {
        "content-type": "application/json",
        ...init.headers,
        authorization: `Bearer ${await this.#token}`,
      },
      ...(init.body === undefined ? {} : { body: stringifyJson(init.body) }),
    });
  }

  /** The body of a successful answer. */
  async json(path: string, init: CallInit = {}): Promise<unknown> {
    const response = await this.api(path, init);
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${text}`);
    return text === "" ? undefined : parseJson(text);
  }

  /** A token with all scopes. */
  async token(): Promise<string> {
    const response = await fetch(`${this.url}/api/auth/oauth/token`, {
      method: "POST",
      body: new URLSearchParams({
        grant_type: "client_credentials",
        client_id: this.clientId,
        client_secret: this.clientSecret,
        scope:
          "auth:write ledger:write orchestration:write payments:write reconciliation:write search:write wallets:write webhooks:write",
      }),
    });
    const { access_token: accessToken } = await response.json<{ access_token: string }>();
    return accessToken;
  }
}

/** A server that `npm start` runs in a process group of its own. */
export class LocalServer extends ServerClient {
  /** The output of the server until it was ready. */
  readonly welcome: string;
  readonly #folder: string;
  readonly #process: ChildProcess;
  readonly #log: ServerLog;
  #orphan: ProcessIdentity | undefined;

  private constructor(launch: Launch, welcome: string) {
    super({
      url: lineOf(welcome, "Base URL"),
      clientId: lineOf(welcome, "Client id"),
      clientSecret: readFileSync(lineOf(welcome, "Client secret  in the file"), "utf8"),
    });
    this.welcome = welcome;
    this.#folder = launch.folder;
    this.#process = launch.process;
    this.#log = launch.log;
  }

  /** Starts a server on a state folder. Throws if the server does not become ready. */
  static async start(folder: string, env: NodeJS.ProcessEnv = {}): Promise<LocalServer> {
    const launch = launchServer(folder, env);
    const welcome = await launch.ready;
    if (typeof welcome === "string") return new LocalServer(launch, welcome);
    throw new Error(`the server ended with ${welcome.code}: ${welcome.stderr}`);
  }

  /** Starts a server that must fail. Throws if the server becomes ready. */
  static async fail(folder: string, env: NodeJS.ProcessEnv = {}): Promise<FailedStart> {
    const launch = launchServer(folder, env);
    const welcome = await launch.ready;
    if (typeof welcome !== "string") return welcome;
    await new LocalServer(launch, welcome).killAll();
    throw new Error("the server started");
  }

  /** The process of the runtime below the server, which the state folder records. */
  get runtime(): ProcessIdentity {
    return JSON.parse(readFileSync(join(this.#folder, "runtime.json"), "utf8")) as ProcessIdentity; // the server has written this shape
  }

  /** Ends the server as `kill` does; returns its exit code. */
  stop(): Promise<number | null> {
    return this.#end(() => this.#process.kill("SIGTERM"));
  }

  /** Ends the server as Ctrl-C in a terminal does, which also signals its child processes. Returns the exit code. */
  interrupt(): Promise<number | null> {
    return this.#end(() => process.kill(-this.#pid, "SIGINT"));
  }

  /** Kills the server alone, so that its runtime goes on. */
  async killParent(): Promise<void> {
    this.#orphan = this.runtime;
    await this.#end(() => this.#process.kill("SIGKILL"));
  }

  /** Kills the server and its runtime, or the one that still runs. */
  async killAll(): Promise<void> {
    await this.#end(() => process.kill(-this.#pid, "SIGKILL"));
    if (this.#orphan !== undefined) await end(this.#orphan);
  }

  get #pid(): number {
    if (this.#process.pid === undefined) throw new Error("the server has no process");
    return this.#process.pid;
  }

  async #end(act: () => void): Promise<number | null> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return null;
    const exit = once(this.#process, "exit");
    act();
    await exit;
    this.#log.assertClean();
    return this.#process.exitCode;
  }
}

interface Launch {
  readonly folder: string;
  readonly process: ChildProcess;
  /** The output of the server after it is ready. The output before shows the link of the first person. */
  readonly log: ServerLog;
  /** The output of the server until it is ready, or how its start failed. */
  readonly ready: Promise<string | FailedStart>;
}

function launchServer(folder: string, env: NodeJS.ProcessEnv): Launch {
  const child = spawn(process.execPath, ["scripts/start.ts"], {
    cwd: ROOT,
    env: { ...withoutSettings(process.env), PORT: "0", FLORIN_STATE_DIR: folder, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const log = new ServerLog();
  let stdout = "";
  let stderr = "";
  const ready = new Promise<string | FailedStart>((settle) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      if (stdout.includes(LAST_LINE)) return log.add(text);
      stdout += text;
      if (stdout.includes(LAST_LINE)) settle(stdout);
    });
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      stderr = `${stderr}${text}`.slice(-STDERR_LENGTH_MAX);
      log.add(text);
    });
    child.once("close", (code) => settle({ code, stderr }));
  });
  return { folder, process: child, log, ready };
}

const LAST_LINE = "Ctrl-C stops it.";
/** The length of the kept end of standard error, in characters. */
const STDERR_LENGTH_MAX = 10_000;

/**
 * Removes Florin's settings, so that tests do not depend on the developer's shell, and the flags of V8 for contract tests, so that a server
 * has those of the product.
 */
const withoutSettings = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !name.startsWith("FLORIN_") && name !== "MINIFLARE_WORKERD_V8_FLAGS",
    ),
  );

function lineOf(welcome: string, label: string): string {
  const [, value] = new RegExp(`^ +${label} +(.+)$`, "m").exec(welcome) ?? [];
  if (value === undefined) throw new Error(`no ${label} in: ${welcome}`);
  return value;
}
