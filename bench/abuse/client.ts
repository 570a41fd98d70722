import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { RunJob, StreamResult } from "./streams.ts";

/** A client, or many similar clients, in a process of its own. */
export class ClientProcess {
  readonly #process: ChildProcess = fork(resolve(import.meta.dirname, "client-process.ts"));

  /** Runs the streams of a job to their end, and returns the results in the order of the streams. Jobs must not overlap. */
  async run(job: RunJob): Promise<StreamResult[]> {
    this.#process.send(job);
    const [results] = (await once(this.#process, "message")) as [StreamResult[]]; // The client process sends this form.
    return results;
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.disconnect();
    await exited;
  }
}
