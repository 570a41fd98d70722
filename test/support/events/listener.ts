import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { WAIT_MS_MAX } from "#test/support/runner/patience.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

/** A process of `npm run listen` on a state folder. */
export class Listener {
  /** The lines of standard output and of standard error. */
  readonly lines: string[] = [];
  readonly notes: string[] = [];
  readonly #process: ChildProcess;
  #changed = Promise.withResolvers<void>();

  constructor(folder: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.#process = spawn(process.execPath, ["scripts/listen.ts", ...args], {
      cwd: ROOT,
      env: { ...process.env, FLORIN_STATE_DIR: folder, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    this.#collect(this.#process.stdout, this.lines);
    this.#collect(this.#process.stderr, this.notes);
  }

  /** Waits until a condition about the output holds. */
  async waitFor(isSo: () => boolean): Promise<void> {
    const deadline = AbortSignal.timeout(WAIT_MS_MAX);
    while (!isSo()) {
      const late = once(deadline, "abort").then(() => {
        throw new Error(`it never came: ${JSON.stringify([this.lines, this.notes])}`);
      });
      await Promise.race([this.#changed.promise, late]);
    }
  }

  /** Waits until the listener has connected `times` times. */
  connected(times = 1): Promise<void> {
    return this.waitFor(
      () => this.notes.filter((line) => line.startsWith("Listening to ")).length >= times,
    );
  }

  /** Ends the listener as Ctrl-C does; returns its exit code. */
  async interrupt(): Promise<number | null> {
    if (this.#process.exitCode !== null) return this.#process.exitCode;
    const exit = once(this.#process, "exit");
    this.#process.kill("SIGINT");
    await exit;
    return this.#process.exitCode;
  }

  /** Waits until the listener ends by itself; returns its exit code. */
  async ended(): Promise<number | null> {
    if (this.#process.exitCode === null) await once(this.#process, "exit");
    return this.#process.exitCode;
  }

  #collect(output: NodeJS.ReadableStream | null, lines: string[]): void {
    let rest = "";
    output?.setEncoding("utf8");
    output?.on("data", (text: string) => {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
      this.#changed.resolve();
      this.#changed = Promise.withResolvers();
    });
  }
}
