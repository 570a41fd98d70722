import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { BenchApi } from "../api.ts";
import { authorize, cpuMicrosOf, memoryOf } from "../server.ts";
import { OperatorError } from "#scripts/lib/project.ts";
import { freePort } from "#scripts/lib/runtime/server.ts";
import type { ServerAddress } from "#scripts/lib/state.ts";

/** The product of a checkout, started by its own script on an empty state folder. */
export class Checkout {
  readonly api: BenchApi;
  readonly address: ServerAddress;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(
    address: ServerAddress,
    api: BenchApi,
    { child, folder }: { child: ChildProcess; folder: string },
  ) {
    this.address = address;
    this.api = api;
    this.#process = child;
    this.#folder = folder;
  }

  /** Starts the server of a checkout. With `isQuiet`, its log is not shown. */
  static async start(root: string, { isQuiet = false } = {}): Promise<Checkout> {
    const script = join(root, "scripts/start.ts");
    if (!existsSync(script)) throw new OperatorError(`${root} is no checkout of Florin.`);
    const folder = mkdtempSync(join(tmpdir(), "florin-bench-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true })); // The handler also runs if the bench fails.
    const port = await freePort(0);
    const address = {
      url: `http://127.0.0.1:${port}`,
      clientId: "bench",
      clientSecret: randomBytes(24).toString("hex"),
    };
    const child = spawn(process.execPath, [script], {
      cwd: root,
      stdio: ["ignore", "ignore", isQuiet ? "ignore" : "inherit"],
      env: {
        ...process.env,
        PORT: `${port}`,
        FLORIN_STATE_DIR: folder,
        FLORIN_CLIENT_ID: address.clientId,
        FLORIN_CLIENT_SECRET: address.clientSecret,
        npm_lifecycle_event: "start", // A script of this name ends with the process that started it.
      },
    });
    await answering(child, address.url);
    const api = new BenchApi(address.url, await authorize(address));
    return new Checkout(address, api, { child, folder });
  }

  /** Processor time of the runtime so far, in microseconds; undefined if the system does not tell. */
  cpuMicros(): number | undefined {
    return this.#runtimes()?.reduce((sum, pid) => sum + (cpuMicrosOf(pid) ?? 0), 0);
  }

  /** Resident memory of the runtime, in bytes; undefined if the system does not tell. */
  memoryBytes(): number | undefined {
    return this.#runtimes()?.reduce((sum, pid) => sum + (memoryOf(pid)?.bytes ?? 0), 0);
  }

  #runtimes(): number[] | undefined {
    const path = `/proc/${this.#process.pid}/task/${this.#process.pid}/children`;
    if (!existsSync(path)) return undefined;
    return readFileSync(path, "utf8").split(" ").filter(Boolean).map(Number);
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.kill();
    await exited;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const POLL_MS = 100;

/** Waits until the server answers, without a limit for its build. With a new state, it listens before its database has tables. */
async function answering(child: ChildProcess, url: string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new OperatorError(`${child.spawnargs[1]} has ended.`);
    const isReady = await fetch(`${url}/api/auth/oauth/token`, { method: "POST" }).then(
      ({ status }) => status < 500,
      () => false, // The server does not listen yet.
    );
    if (isReady) return;
    await delay(POLL_MS);
  }
}
