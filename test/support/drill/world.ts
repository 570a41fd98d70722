import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { vi } from "vitest";
import { buildEntry } from "#bench/build.ts";
import { BenchServer } from "#bench/server.ts";
import { inProject } from "#scripts/lib/project.ts";
import type { ServerAddress } from "#scripts/lib/state.ts";
import { commandLine } from "#test/support/runner/command-line.ts";

const CLIENT_ID = "drill";
/** How soon a problem has to be shown, in milliseconds. */
const SHOWN_MS = 60_000;
/** How long a remedy may take: endpoints are tried again within five minutes. */
const REPAIRED_MS = 330_000;

export interface ShownProblem {
  readonly severity: string;
  readonly what: string;
  readonly why: string;
  readonly whatToDo: string;
}
interface ShownSection {
  readonly module: string;
  readonly name: string;
  readonly state: string;
  readonly problems: readonly ShownProblem[];
}

/** Where the status shows a problem: the module and the section, and texts of the problem. */
export interface Place {
  readonly section: `${string}/${string}`;
  readonly what?: string;
  readonly why?: string;
}

/** A started server that a drill breaks, as an operator sees it. */
export class DrillWorld {
  readonly #address: ServerAddress;
  readonly #server: BenchServer | undefined;
  #token = "";

  private constructor(address: ServerAddress, server?: BenchServer) {
    this.#address = address;
    this.#server = server;
  }

  /** Starts a server with a Worker that can be broken by more than its clients. */
  static async start(env: NodeJS.ProcessEnv): Promise<DrillWorld> {
    const script = await buildEntry("test/support/drill/worker.ts", inProject("dist/test/drill"), [
      `--define=CLOCK_START_MS:${Date.now()}`,
      "--define=CLOCK_SPEED:1",
    ]);
    const clientSecret = randomBytes(24).toString("hex");
    const client = { FLORIN_CLIENT_ID: CLIENT_ID, FLORIN_CLIENT_SECRET: clientSecret };
    const server = await BenchServer.start(script, { env: { ...env, ...client } });
    const world = new DrillWorld({ url: server.url, clientId: CLIENT_ID, clientSecret }, server);
    await world.logIn();
    return world;
  }

  /** A server that somebody else has started. */
  static async on(address: ServerAddress): Promise<DrillWorld> {
    const world = new DrillWorld(address);
    await world.logIn();
    return world;
  }

  get url(): string {
    return this.#address.url;
  }

  async stop(): Promise<void> {
    await this.#server?.stop();
  }

  /** Gets a token with all scopes. */
  async logIn(): Promise<void> {
    const { clientId, clientSecret } = this.#address;
    this.#token = await this.tokenOf(clientId, clientSecret);
  }

  async tokenOf(id: string, secret: string): Promise<string> {
    const body = new URLSearchParams({
      grant_type: "client_credentials",
      client_id: id,
      client_secret: secret,
    });
    const answer = await fetch(`${this.url}/api/auth/oauth/token`, { method: "POST", body });
    const { access_token: token } = await answer.json<{ access_token: string }>();
    return token;
  }

  call(path: string, { method, body, token = this.#token }: DrillCall = {}): Promise<Response> {
    return fetch(`${this.url}${path}`, {
      method: method ?? (body === undefined ? "GET" : "POST"),
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  /** The body of a successful answer, with its member `data` if it has one. */
  async send<T>(path: string, init: DrillCall = {}): Promise<T> {
    const answer = await this.call(path, init);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${text}`);
    const body = (text === "" ? undefined : JSON.parse(text)) as { data?: T } | undefined;
    return (body?.data ?? body) as T; // The caller knows the operation.
  }

  /** Breaks what no client can break; see the Worker of the drill. */
  async breaks(what: "sql" | "message" | "fill" | "step-clock", body: string): Promise<void> {
    const answer = await fetch(`${this.url}/api/test/${what}`, { method: "POST", body });
    if (!answer.ok) throw new Error(`${what} answers ${answer.status}`);
  }

  /** Runs a command of operators; returns what it prints. */
  async florin(...args: readonly string[]): Promise<string> {
    const run = commandLine({
      FLORIN_URL: this.url,
      FLORIN_CLIENT_ID: this.#address.clientId,
      FLORIN_CLIENT_SECRET: this.#address.clientSecret,
    });
    return run(...args);
  }

  /** The problem at a place of the status; undefined if it shows none. */
  async problem({ section, what = "", why = "" }: Place): Promise<ShownProblem | undefined> {
    const [module] = section.split("/");
    const status = await this.send<{ sections: readonly ShownSection[] }>(
      `/api/florin/v1/status?module=${module}`,
    );
    return status.sections
      .find(({ module: of, name }) => `${of}/${name}` === section)
      ?.problems.find((problem) => problem.what.includes(what) && problem.why.includes(why));
  }

  /** The value of the sample of the metrics that begins with a text; 0 if there is none. */
  async metric(sample: string): Promise<number> {
    const text = await (await this.call("/metrics")).text();
    const line = text.split("\n").find((one) => one.startsWith(sample));
    return Number(line?.slice(line.lastIndexOf(" ") + 1) ?? 0);
  }

  /**
   * Waits until the status and the metrics show a problem, and returns it. Throws after a minute. `isShown` says of the value of the sample
   * that begins with `sample` whether it shows the problem.
   */
  shows(place: Place, sample: string, isShown: (value: number) => boolean): Promise<ShownProblem> {
    const look = async (): Promise<ShownProblem> => {
      const value = await this.metric(sample);
      const problem = await this.problem(place);
      if (problem !== undefined && isShown(value)) return problem;
      throw new Error(`${sample} is ${value}, the problem ${JSON.stringify(problem)}`);
    };
    return vi.waitFor(look, { timeout: SHOWN_MS, interval: 500 });
  }

  /** Waits until the status shows a problem no more, and says whether it does. */
  isWell(place: Place): Promise<boolean> {
    return this.becomes(async () => (await this.problem(place)) === undefined);
  }

  /** Waits until something holds, and says whether it does. */
  async becomes(holds: () => Promise<boolean>): Promise<boolean> {
    const untilMs = performance.now() + REPAIRED_MS;
    while (performance.now() < untilMs) {
      if (await holds()) return true;
      await delay(1000);
    }
    return false;
  }
}

interface DrillCall {
  readonly method?: string;
  readonly body?: unknown;
  readonly token?: string;
}
