/**
 * How long a slice is to take: well below 20 ms, because no two slices are alike, and because a write may meet more than
 * one of them on its way through the runtime.
 */
const AIM_MS = 6;
/** A slice that takes less than this is too small to be worth its turn. */
const LEAST_MS = 3;
/** The next slice is at most so many times larger or smaller than this one. */
const STEP_MAX = 4;

/** How much one slice does, in units of its work. */
export interface SliceBounds {
  readonly first: number;
  readonly least: number;
  readonly most: number;
}

/** Decides how much the next slice of some work does, by the time that the last one took. */
export class SliceSizer {
  readonly #bounds: SliceBounds;
  size: number;

  constructor(bounds: SliceBounds) {
    this.#bounds = bounds;
    this.size = bounds.first;
  }

  /** Notes that a slice did so much in so many milliseconds. One that came to an end early says nothing of larger ones. */
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
