import type { SliceSizer } from "./slice-sizer.ts";

/** The result of a slice, and how much of its size it has used. */
export interface Slice<T> {
  readonly value: T;
  readonly done: number;
}

/** The clock and the pause that a queue of slices uses. */
export interface SliceRuntime {
  readonly nowMs: () => number;
  /** Resolves in a later turn, after all calls that have arrived for the object until then. */
  readonly pause: () => Promise<void>;
}

/**
 * Runs heavy reads of an object, a slice at a time. An object has one thread, so that a read in one turn delays all writes. Here a turn has
 * one slice, in the order in which slices were asked for: the next slice of a read comes after those of all other reads, and calls that
 * arrive meanwhile, such as writes, run before the next slice of any read.
 */
export class SliceQueue {
  readonly #runtime: SliceRuntime;
  readonly #waiting: (() => SliceEnd)[] = [];
  #isRunning = false;

  constructor(runtime: SliceRuntime) {
    this.#runtime = runtime;
  }

  /** Runs `work` in its turn, at once where no other slice is under way. `work` gets the size of a slice of its kind. */
  run<T>(sizer: SliceSizer, work: (size: number) => Slice<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    this.#waiting.push(() => {
      try {
        const { value, done } = work(sizer.size);
        resolve(value);
        return { sizer, done };
      } catch (error) {
        reject(error);
        return { sizer, done: 0 };
      }
    });
    if (!this.#isRunning) void this.#drain();
    return promise;
  }

  async #drain(): Promise<void> {
    const { nowMs, pause } = this.#runtime;
    this.#isRunning = true;
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      const startMs = nowMs();
      const { sizer, done } = next();
      const workedMs = nowMs() - startMs;
      await pause();
      // On the platform, the clock stands still within a turn, so that the time shows only in the next turn.
      sizer.note(done, workedMs > 0 ? workedMs : nowMs() - startMs);
    }
    this.#isRunning = false;
  }
}

interface SliceEnd {
  readonly sizer: SliceSizer;
  readonly done: number;
}

/** The queue of a Durable Object. */
export const objectSlices = (): SliceQueue =>
  new SliceQueue({ nowMs: Date.now, pause: () => scheduler.wait(0) });
