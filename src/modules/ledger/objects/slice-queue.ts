import type { SliceSizer } from "./slice-sizer.ts";

/** What a slice of some work gives, and how much of its size it has used up. */
export interface Slice<T> {
  readonly value: T;
  readonly done: number;
}

/** What a queue of slices needs of the runtime. */
export interface SliceRuntime {
  readonly nowMs: () => number;
  /** Resolves in a later turn, behind whatever has arrived for the object until then. */
  readonly pause: () => Promise<void>;
}

/**
 * Heavy reads of an object, a slice at a time. An object has one thread, so that whatever it reads in one turn holds up
 * all writes. Here one slice runs in a turn, in the order in which they were asked for: a read that asks for its next
 * slice stands behind all others, and what arrives meanwhile, such as a write, goes before the next slice of anybody.
 */
export class SliceQueue {
  readonly #runtime: SliceRuntime;
  readonly #waiting: (() => SliceEnd)[] = [];
  #isRunning = false;

  constructor(runtime: SliceRuntime) {
    this.#runtime = runtime;
  }

  /** Runs `work` in its turn, at once where no other slice is under way, with the size of a slice of its kind. */
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
      // On the platform the clock stands still within a turn, so that the time shows only in the next one.
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
