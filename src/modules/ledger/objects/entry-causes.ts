import type { EntryCause } from "#platform/events/messages.ts";

/** A caller's cause, in the options of a write. A Worker of a version before gives none. */
export interface Caused {
  /** What has caused the write (`platform/tracing/cause.ts`). */
  readonly cause?: string | undefined;
}

/** What a write of a ledger's object is told besides its work. */
export interface OwnWrite extends Caused {
  /** The uuid that the ledger must have; absent for any. */
  readonly uuid?: string | undefined;
}

/** Most causes that are remembered, and so go into one message: each has some hundred bytes, and the platform takes messages of 128 kB. */
const CAUSES_MAX = 100;

/**
 * What has caused the entries of a ledger that are not confirmed yet. It is remembered and not stored, so that it costs a write no row:
 * events that are announced after a restart have no cause, and neither has what comes beyond `CAUSES_MAX` writes at once.
 */
export class EntryCauses {
  #causes: EntryCause[] = [];

  note({ from, to, cause }: EntryCause): void {
    const last = this.#causes.at(-1);
    if (last?.cause === cause && last.to === from - 1) {
      this.#causes[this.#causes.length - 1] = { ...last, to };
      return;
    }
    if (this.#causes.length < CAUSES_MAX) this.#causes.push({ from, to, cause });
  }

  /** The causes of entries of a range; undefined if none is known. */
  within(from: number, to: number): readonly EntryCause[] | undefined {
    const causes = this.#causes.filter((entry) => entry.from <= to && from <= entry.to);
    return causes.length === 0 ? undefined : causes;
  }

  /** Forgets the causes of entries up to `to`. */
  confirmed(to: number): void {
    if (this.#causes.length > 0) this.#causes = this.#causes.filter((entry) => entry.to > to);
  }

  clear(): void {
    this.#causes = [];
  }
}
