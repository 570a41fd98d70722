import type { DeliveryResult } from "./delivery-results.ts";

/** After this time, in milliseconds, or when there are so many, results are stored together: a commit costs more than a call. */
const GATHER_MS = 50;
const GATHERED_MAX = 128;
/** How long after its time a plan to store results counts as lost, in milliseconds. */
const LOST_AFTER_MS = 5000;

export interface ResultBufferPorts {
  /** The time by the lane's clock, in milliseconds. */
  readonly nowMs: () => number;
  /** Stores results. Returns undefined, or after how many milliseconds to try again. */
  readonly store: (results: readonly DeliveryResult[]) => number | undefined;
  /** Called after results were stored. */
  readonly onStored: (results: readonly DeliveryResult[]) => void;
}

/**
 * Results of calls that are stored together. Results that cannot be stored now are kept and tried again: their calls were made and
 * must not be repeated.
 */
export class ResultBuffer {
  readonly #ports: ResultBufferPorts;
  #results: DeliveryResult[] = [];
  /** Number of the latest plan to store results. Timers of earlier plans do nothing: the runtime keeps cleared timers in memory. */
  #plans = 0;
  /** When the latest plan stores, by the lane's clock; undefined for none. */
  #plannedMs: number | undefined;

  constructor(ports: ResultBufferPorts) {
    this.#ports = ports;
  }

  /** Number of results that are not stored yet. */
  get count(): number {
    return this.#results.length;
  }

  add(result: DeliveryResult): void {
    this.#results.push(result);
    if (this.#results.length === GATHERED_MAX) this.#storeAfter(0);
    else if (this.#plannedMs === undefined) this.#storeAfter(GATHER_MS);
  }

  /** Stores the results at once if the runtime has lost the timer that should have done so. Returns whether it has. */
  storeOverdue(laneMs: number): boolean {
    const isOverdue = laneMs - (this.#plannedMs ?? Infinity) > LOST_AFTER_MS;
    if (isOverdue) {
      this.#plans++;
      this.#store();
    }
    return isOverdue;
  }

  #storeAfter(waitMs: number): void {
    const plan = ++this.#plans;
    this.#plannedMs = this.#ports.nowMs() + waitMs;
    setTimeout(() => {
      if (plan === this.#plans) this.#store();
    }, waitMs);
  }

  #store(): void {
    const results = this.#results;
    const againMs = this.#ports.store(results);
    if (againMs !== undefined) {
      this.#storeAfter(againMs);
      return;
    }
    this.#plannedMs = undefined;
    this.#results = [];
    this.#ports.onStored(results);
  }
}
