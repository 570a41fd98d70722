import { log } from "#platform/log.ts";

export interface GaugeOptions {
  /** The time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** How large the object is now. */
  readonly bytes: () => number;
  /** Keeps the size for the operator; see `keepSize`. */
  readonly keep: (
    name: string,
    measured: { readonly bytes: number; readonly measuredMs: number },
  ) => Promise<void>;
}

/** How often an object that is written to is measured, in milliseconds. */
const LOOK_MS = 600_000;
/** A smaller object is far from its limit, and nobody needs to know of it: 5 % of 10 GB. */
const MEDIUM_BYTES = 500_000_000;

/** Measures an object that grows, now and then. Whoever has it asks after its writes; a look that is not due compares two times. */
export class SizeGauge {
  readonly #options: GaugeOptions;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: GaugeOptions) {
    this.#options = options;
  }

  /** Keeps the size, where it is time and the object is not small. Never throws: the next look comes. */
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
      log("warn", "the size of an object could not be kept; it is measured again", {
        what: name,
        error: error instanceof Error ? error.name : undefined,
      });
    }
  }
}
