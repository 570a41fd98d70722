import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { prepareAssets } from "#scripts/lib/build/assets.ts";
import { signInFirstPerson } from "#scripts/lib/first-person.ts";
import { watchRuntimes } from "#scripts/lib/runtime/runtime.ts";
import { type ServerOptions, startServer } from "#scripts/lib/runtime/server.ts";
import { addressOf, readLocalSettings } from "#scripts/lib/settings/local.ts";
import { type ServerAddress, StateFolder } from "#scripts/lib/state.ts";

interface Memory {
  readonly bytes: number;
  /** The part of `bytes` that is a copy of files, including the program itself. */
  readonly fileBytes: number;
}

type BenchServerOptions = Partial<Pick<ServerOptions, "inspectorPort" | "onLog">> & {
  /** Settings that differ from the defaults. */
  readonly env?: NodeJS.ProcessEnv;
};

/** A Worker as `npm start` runs it, on a new state folder, which is removed when the server ends. */
export class BenchServer {
  readonly url: string;
  /** The URL of the runtime's inspector, if the options ask for one. */
  readonly inspectorUrl: string | undefined;
  readonly #pid: number;
  readonly #vars: Readonly<Record<string, string>>;
  readonly #end: () => Promise<void>;

  private constructor(fields: {
    url: string;
    inspectorUrl: string | undefined;
    pid: number;
    vars: Readonly<Record<string, string>>;
    end: () => Promise<void>;
  }) {
    this.url = fields.url;
    this.inspectorUrl = fields.inspectorUrl;
    this.#pid = fields.pid;
    this.#vars = fields.vars;
    this.#end = fields.end;
  }

  static async start(
    script: string,
    { env = {}, ...extra }: BenchServerOptions = {},
  ): Promise<BenchServer> {
    await prepareAssets();
    const path = mkdtempSync(join(tmpdir(), "florin-bench-"));
    const remove = (): void => rmSync(path, { recursive: true, force: true });
    process.once("exit", remove); // The handler also runs if the bench fails or is interrupted.
    const folder = await StateFolder.open(path);
    const vars = readLocalSettings(env).varsWith(folder.secrets());
    let pid = 0;
    const unwatch = watchRuntimes((started) => {
      pid = started; // The last runtime is the Worker's; the one before applies migrations.
    });
    const options = { script, folder, port: 0, vars, onLog: () => undefined, ...extra };
    const server = await startServer(options);
    unwatch();
    const end = async (): Promise<void> => {
      await server.stop();
      folder.release();
      remove();
    };
    return new BenchServer({ url: server.url, inspectorUrl: server.inspectorUrl, pid, vars, end });
  }

  /** Headers of a client with all scopes that the bench needs. */
  authorize(): Promise<Record<string, string>> {
    return authorize(addressOf(this.url, this.#vars));
  }

  /** A link that signs an administrator in to the console, once. */
  async signInLink(): Promise<string> {
    const response = await fetch(`${this.url}/api/auth/.well-known/openid-configuration`);
    const { scopes_supported: all } = Discovery.parse(await response.json());
    const scopes = all.filter((scope) => scope.includes(":") && !scope.endsWith(":read"));
    const target = addressOf(this.url, this.#vars);
    const signIn = await signInFirstPerson(target, {
      publicUrl: this.url,
      loginIssuer: undefined,
      scopes,
    });
    if ("url" in signIn) return signIn.url;
    throw new Error(signIn.sentence);
  }

  /** Processor time of the runtime so far, in microseconds; undefined if the system does not tell. */
  cpuMicros(): number | undefined {
    return cpuMicrosOf(this.#pid);
  }

  /** Resident memory of the runtime; undefined if the system does not tell. */
  memory(): Memory | undefined {
    return memoryOf(this.#pid);
  }

  stop(): Promise<void> {
    return this.#end();
  }
}

/** Headers of a server's first client, with all scopes that the bench needs. */
export async function authorize(server: ServerAddress): Promise<Record<string, string>> {
  const response = await fetch(`${server.url}/api/auth/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "client_credentials",
      client_id: server.clientId,
      client_secret: server.clientSecret,
      scope:
        "ledger:read ledger:write webhooks:read webhooks:write payments:read payments:write wallets:read wallets:write",
    }),
  });
  const { access_token: token } = Token.parse(await response.json());
  return { authorization: `Bearer ${token}` };
}

const Discovery = z.object({ scopes_supported: z.array(z.string()) });
const Token = z.object({ access_token: z.string() });

/** Processor time of a process so far, in microseconds; undefined if the system does not tell. */
export function cpuMicrosOf(pid: number): number | undefined {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return undefined;
  // The second field is the name in parentheses; user and system time are the 14th and 15th.
  const stat = readFileSync(path, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MICROS_PER_TICK;
}

/** Resident memory of a process; undefined if the system does not tell. */
export function memoryOf(pid: number): Memory | undefined {
  const path = `/proc/${pid}/status`;
  if (!existsSync(path)) return undefined;
  const status = readFileSync(path, "utf8");
  const bytesOf = (name: string): number => {
    const [, kib] = new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(status) ?? [];
    if (kib === undefined) throw new Error(`${path} has no ${name}`);
    return Number(kib) * 1024;
  };
  return { bytes: bytesOf("VmRSS"), fileBytes: bytesOf("RssFile") + bytesOf("RssShmem") };
}

/** Linux counts processor time in hundredths of a second. */
const MICROS_PER_TICK = 10_000;

/** Runs a Worker for as long as `work` takes. */
export async function withServer<T>(
  script: string,
  work: (server: BenchServer) => Promise<T>,
  options?: BenchServerOptions,
): Promise<T> {
  const server = await BenchServer.start(script, options);
  try {
    return await work(server);
  } finally {
    await server.stop();
  }
}
