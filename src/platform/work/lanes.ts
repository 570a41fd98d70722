import { assert, present } from "#platform/assert.ts";

/** How many tasks share the lanes, and for how long each may hold one. */
export interface LaneLimits {
  /** Most tasks under way at once. */
  readonly total: number;
  /** Most tasks of one key under way at once. Below `total`, a slow key always leaves lanes to the others. */
  readonly perKey: number;
  /** Most tasks that wait for their turn; one more is refused. */
  readonly waiting: number;
  /** Most tasks of one key that wait; one more is refused. Without it, one key may take all places. */
  readonly waitingPerKey?: number;
  /**
   * Longest time that a task holds its lane, in milliseconds. After it the task counts as failed, even if its work
   * still succeeds.
   */
  readonly timeoutMs: number;
}

export interface LaneTask<T> {
  /** The resource that tasks share and that can be slow: an object, an endpoint, a provider. */
  readonly key: string;
  /** The signal aborts when nobody waits for the result any more. */
  readonly run: (signal: AbortSignal) => Promise<T>;
  /** Cancels the task, whether it waits or runs. */
  readonly signal?: AbortSignal | undefined;
}

/** The error of a task that is refused because too many are waiting. */
export class LanesFullError extends Error {
  override readonly name = "LanesFullError";
}

/** The error of a task that has held its lane for too long. */
export class LaneTimeoutError extends Error {
  override readonly name = "LaneTimeoutError";
}

/**
 * Runs asynchronous work side by side: at most `total` tasks at once, those of one key in the order in which they came,
 * and the keys in turns. A key that is slow, or has many tasks, delays no other one.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #keys = new Map<string, KeyState>();
  /** Keys that have a task to start and a lane left of their own, the one whose turn is next first. */
  readonly #ready = new Set<string>();
  #running = 0;
  #waiting = 0;

  constructor(limits: LaneLimits) {
    const { total, perKey, waiting, timeoutMs } = limits;
    assert(total >= 1 && perKey >= 1 && waiting >= 0 && timeoutMs > 0, "lanes let something run");
    this.#limits = limits;
  }

  /**
   * Resolves to the result of the task. Rejects with the task's own error, a `LanesFullError`, a `LaneTimeoutError`, or the
   * reason of the signal that cancels it.
   */
  async run<T>({ key, run, signal }: LaneTask<T>): Promise<T> {
    signal?.throwIfAborted();
    if (!this.#startsAtOnce(key)) this.#assertRoom(key);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const job: Job = {
      key,
      start: async (aborted) => {
        try {
          resolve(await run(aborted));
        } catch (error) {
          reject(error);
        }
      },
      fail: reject,
      controller: new AbortController(),
    };
    const cancel = (): void => this.#cancel(job, signal?.reason);
    signal?.addEventListener("abort", cancel, { once: true });
    this.#enqueue(job);
    this.#startReady();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener("abort", cancel);
    }
  }

  /** Whether a new task of a key would not wait: it has a free lane and is the first of its key. */
  #startsAtOnce(key: string): boolean {
    const { total, perKey } = this.#limits;
    const state = this.#keys.get(key);
    if (state === undefined) return this.#running < total;
    return this.#running < total && state.running < perKey && state.waiting.size === 0;
  }

  #assertRoom(key: string): void {
    const { waiting, waitingPerKey = waiting } = this.#limits;
    const ofKey = this.#keys.get(key)?.waiting.size ?? 0;
    if (this.#waiting < waiting && ofKey < waitingPerKey) return;
    const count = ofKey < waitingPerKey ? `${this.#waiting} tasks` : `${ofKey} tasks of ${key}`;
    throw new LanesFullError(`${count} are already waiting`);
  }

  #enqueue(job: Job): void {
    const state = this.#keys.get(job.key) ?? { waiting: new Set(), running: 0 };
    this.#keys.set(job.key, state);
    state.waiting.add(job);
    this.#waiting++;
    this.#update(job.key, state);
  }

  #startReady(): void {
    while (this.#running < this.#limits.total) {
      const [key] = this.#ready;
      if (key === undefined) return;
      const state = present(this.#keys.get(key), "a key that is ready has a state");
      const [job] = state.waiting;
      this.#start(present(job, "a key that is ready has a task"), state);
    }
  }

  #start(job: Job, state: KeyState): void {
    state.waiting.delete(job);
    this.#waiting--;
    state.running++;
    this.#running++;
    // Its next turn comes after those of the other keys.
    this.#ready.delete(job.key);
    this.#update(job.key, state);
    const { timeoutMs } = this.#limits;
    const timer = setTimeout(() => {
      this.#end(job, new LaneTimeoutError(`the task took longer than ${timeoutMs} ms`));
    }, timeoutMs);
    job.release = () => {
      clearTimeout(timer);
      state.running--;
      this.#running--;
      this.#update(job.key, state);
      this.#startReady();
    };
    void job.start(job.controller.signal).finally(() => this.#release(job));
  }

  #cancel(job: Job, reason: unknown): void {
    const state = this.#keys.get(job.key);
    if (state?.waiting.delete(job) === true) {
      this.#waiting--;
      this.#update(job.key, state);
    }
    this.#end(job, reason);
  }

  /** Ends a task from outside. Its lane is free at once: work that ignores the signal must not keep it. */
  #end(job: Job, reason: unknown): void {
    job.fail(reason);
    job.controller.abort(reason);
    this.#release(job);
  }

  /** Gives the lane back, once. */
  #release(job: Job): void {
    const { release } = job;
    job.release = undefined;
    release?.();
  }

  /** Updates whether a key is ready, and removes a key that has no tasks left. */
  #update(key: string, { waiting, running }: KeyState): void {
    if (waiting.size > 0 && running < this.#limits.perKey) this.#ready.add(key);
    else this.#ready.delete(key);
    if (waiting.size === 0 && running === 0) this.#keys.delete(key);
  }
}

/** Options for processing a list of items in its own lanes. */
export interface ListWork<T> {
  readonly limits: Omit<LaneLimits, "waiting">;
  readonly keyOf: (item: T) => string;
  readonly run: (item: T, signal: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** The outcome of an item. */
export interface ItemResult<T> {
  readonly item: T;
  /** Undefined where the work was done. */
  readonly error?: unknown;
}

/** Processes all items, even if some fail, and returns the outcome of each. */
export async function settleAll<T>(
  items: readonly T[],
  { limits, keyOf, run, signal }: ListWork<T>,
): Promise<ItemResult<T>[]> {
  const lanes = new Lanes({ ...limits, waiting: items.length });
  return Promise.all(
    items.map(async (item) => {
      try {
        await lanes.run({ key: keyOf(item), run: (aborted) => run(item, aborted), signal });
        return { item };
      } catch (error) {
        return { item, error };
      }
    }),
  );
}

interface KeyState {
  readonly waiting: Set<Job>;
  running: number;
}

interface Job {
  readonly key: string;
  /** Runs the task and settles its promise; never rejects. */
  readonly start: (signal: AbortSignal) => Promise<void>;
  readonly fail: (reason: unknown) => void;
  readonly controller: AbortController;
  /** Set while the task holds a lane. */
  release?: (() => void) | undefined;
}
