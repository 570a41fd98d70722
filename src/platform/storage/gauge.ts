import { log } from "#platform/log.ts";

export interface GaugeOptions {
  /** The current time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** The current size of the object. */
  readonly bytes: () => number;
  /** Stores the size under the name that `look` was given; the owner adds the kind, as in `ledger/main`. */
  readonly keep: (
    name: string,
    measured: { readonly bytes: number; readonly measuredMs: number },
  ) => Promise<void>;
}

/** Time between two measurements of an object that is written to, in milliseconds. */
const LOOK_MS = 600_000;
/** Smallest size that is stored, in bytes: 5 % of 10 GB. A smaller object is far from its limit. */
const MEDIUM_BYTES = 500_000_000;

/** Measures a growing object at intervals. The object calls `look` after its writes; a call that is not due only compares two times. */
export class SizeGauge {
  readonly #options: GaugeOptions;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: GaugeOptions) {
    this.#options = options;
  }

  /** Stores the size if a measurement is due and the object is not small. An error of `keep` is logged, and the next measurement is `LOOK_MS` later. */
  async look(name: string): Promise<void> {
    const { nowMs, bytes, keep } = this.#options;
    const measuredMs = nowMs();
    if (Math.abs(measuredMs - this.#lookedMs) < LOOK_MS) return;
    this.#lookedMs = measuredMs;
    const size = bytes();
    if (size < MEDIUM_BYTES) return;
    try {
      await keep(name, { bytes: size, measuredMs });
    } catch (error) {
      log("warn", "the size of an object could not be stored; it is measured again", {
        what: name,
        error: error instanceof Error ? error.name : undefined,
      });
    }
  }
}
