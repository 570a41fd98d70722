import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { RunJob, StreamResult } from "./streams.ts";

/** A client, or many that behave alike, in a process of its own. */
export class ClientProcess {
  readonly #process: ChildProcess = fork(resolve(import.meta.dirname, "client-process.ts"));

  /** Runs streams to their end; there is never more than one job at a time. Results come in the order of the streams. */
  async run(job: RunJob): Promise<StreamResult[]> {
    this.#process.send(job);
    const [results] = (await once(this.#process, "message")) as [StreamResult[]]; // as the other side declares it
    return results;
  }

  async stop(): Promise<void> {
    const exited = once(this.#process, "exit");
    this.#process.disconnect();
    await exited;
  }
}
