/**
 * Time that a slice should take, in milliseconds: well below 20, because slices differ, and because a write may meet more than one of them
 * on its way through the runtime.
 */
const AIM_MS = 6;
/** A slice that takes less time than this, in milliseconds, is too small to be worth its turn. */
const LEAST_MS = 3;
/** Largest factor between the sizes of two consecutive slices. */
const STEP_MAX = 4;

/** Sizes of slices, in units of their work. */
export interface SliceBounds {
  readonly first: number;
  readonly least: number;
  readonly most: number;
}

/** Decides the size of the next slice by the time that the last one took. */
export class SliceSizer {
  readonly #bounds: SliceBounds;
  size: number;

  constructor(bounds: SliceBounds) {
    this.#bounds = bounds;
    this.size = bounds.first;
  }

  /** Notes that a slice did `done` units in `ms` milliseconds. A slice that ended early does not show that larger ones would be fast. */
  note(done: number, ms: number): void {
    if (done <= 0) return;
    if (ms > AIM_MS) this.#set(Math.max((done * AIM_MS) / ms, this.size / STEP_MAX));
    else if (ms < LEAST_MS && done >= this.size) {
      this.#set(this.size * Math.min(AIM_MS / Math.max(ms, 1), STEP_MAX));
    }
  }

  #set(size: number): void {
    const { least, most } = this.#bounds;
    this.size = Math.min(Math.max(Math.floor(size), least), most);
  }
}
