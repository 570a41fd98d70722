import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { LoadAnswer, LoadJob, LoadResult } from "./job.ts";

/** The process that generates the load. */
export class LoadGenerator {
  readonly #process: ChildProcess = fork(resolve(import.meta.dirname, "process.ts"));

  /** Runs one job. Jobs must not overlap. Throws if a request fails. */
  async run(job: LoadJob): Promise<LoadResult> {
    this.#process.send(job);
    const [answer] = (await once(this.#process, "message")) as [LoadAnswer]; // The load process sends this form.
    if (answer.ok) return answer.result;
    throw new Error(answer.error);
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.disconnect();
    await exited;
  }
}
