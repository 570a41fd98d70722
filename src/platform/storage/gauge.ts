import { log } from "#platform/log.ts";

export interface GaugeOptions {
  /** The current time, in milliseconds since the epoch. */
  readonly nowMs: () => number;
  /** The current size of the object. */
  readonly bytes: () => number;
  /** The measurement that was stored last, as the object remembers it: `keptSizeIn` its storage. */
  readonly kept: KeptSize;
  /** Stores the size under the name that `look` was given; the owner adds the kind, as in `ledger/main`. */
  readonly keep: (name: string, measured: Measurement) => Promise<void>;
}

export interface KeptSize {
  readonly read: () => Measurement | undefined;
  readonly write: (measured: Measurement) => void;
}

/** A size, and when it was measured, in milliseconds since the epoch. */
export interface Measurement {
  readonly bytes: number;
  readonly measuredMs: number;
}

/** Time between two measurements of an object that is written to, in milliseconds. */
const LOOK_MS = 600_000;
/** Time after which the size of an object that is not large is stored if it has changed, in milliseconds. */
const DAY_MS = 86_400_000;
/** Smallest size that is stored, in bytes. */
const SMALL_BYTES = 1_000_000;
/** Smallest size that is stored at each measurement, in bytes: 5 % of 10 GB. A smaller object is far from its limit. */
const LARGE_BYTES = 500_000_000;
/** Growth since the last stored size from which a smaller object is stored at once. */
const GROWTH_FACTOR = 1.25;

/** The key of the last stored measurement in the object's own storage. */
const KEPT_KEY = "keptSize";

export const keptSizeIn = ({ kv }: Pick<DurableObjectStorage, "kv">): KeptSize => ({
  read: () => kv.get<Measurement>(KEPT_KEY),
  write: (measured) => kv.put(KEPT_KEY, measured),
});

/**
 * Measures a growing object at intervals. The object calls `look` after its writes; a call that is not due only compares two times. A row in
 * D1 costs more than a look at the object's own size, so that of an object below 500 MB few sizes are stored:
 *
 *     0      1 MB                                  500 MB                     10 GB
 *     │ never │ a quarter larger, or changed a day  │ each measurement (10 min) │
 */
export class SizeGauge {
  readonly #options: GaugeOptions;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(options: GaugeOptions) {
    this.#options = options;
  }

  /** Stores the size if a measurement is due and says something new. An error of `keep` is logged, and the next measurement is `LOOK_MS` later. */
  async look(name: string): Promise<void> {
    const { nowMs, bytes, keep, kept } = this.#options;
    const measuredMs = nowMs();
    if (Math.abs(measuredMs - this.#lookedMs) < LOOK_MS) return;
    this.#lookedMs = measuredMs;
    const measured = { bytes: bytes(), measuredMs };
    if (measured.bytes < SMALL_BYTES) return;
    if (measured.bytes < LARGE_BYTES && !isNews(measured, kept.read())) return;
    try {
      await keep(name, measured);
      if (measured.bytes < LARGE_BYTES) kept.write(measured);
    } catch (error) {
      log("warn", "the size of an object could not be stored; it is measured again", {
        what: name,
        error: error instanceof Error ? error.name : undefined,
      });
    }
  }
}

function isNews({ bytes, measuredMs }: Measurement, kept: Measurement | undefined): boolean {
  if (kept === undefined || bytes >= kept.bytes * GROWTH_FACTOR) return true;
  // The clock may have stepped back.
  return bytes !== kept.bytes && Math.abs(measuredMs - kept.measuredMs) >= DAY_MS;
}
