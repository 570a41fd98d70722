import { assert, present } from "#platform/assert.ts";

/** The number of lanes, and the limits of their tasks. */
export interface LaneLimits {
  /** Most tasks under way at once. */
  readonly total: number;
  /** Most tasks of one key under way at once. With a limit below `total`, a slow key always leaves lanes to other keys. */
  readonly perKey: number;
  /** Most tasks that wait for a lane; further tasks are refused. */
  readonly waiting: number;
  /** Most tasks of one key that wait; further tasks are refused. Without this limit, one key may take all places of the queue. */
  readonly waitingPerKey?: number;
  /**
   * Longest time that a task holds its lane, in milliseconds. A task that takes longer counts as failed, even if its work succeeds later.
   */
  readonly timeoutMs: number;
}

export interface LaneTask<T> {
  /** The resource that tasks share and that can be slow: an object, an endpoint, a provider. */
  readonly key: string;
  /** Does the work. The signal aborts when the result is no longer wanted. */
  readonly run: (signal: AbortSignal) => Promise<T>;
  /** The signal that cancels the task, waiting or running. */
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
 * Runs asynchronous tasks concurrently, at most `total` at once: fair queueing by round robin over keys (J. Nagle, RFC 970), first in,
 * first out within a key.
 *
 *     key a   a4 a3 a2 ─┐                                            ┌─► lane 1: a1 ─┐
 *     key b   b2       ─┼─► next ready key, at most perKey each ─────┼─► lane 2: b1 ─┼─► done, failed, timeoutMs or cancelled
 *     key c   (none)    ┘                                            └─► lane 3: c1 ─┘
 *             waiting, waitingPerKey: LanesFullError
 *
 * A key that is slow, or has many tasks, delays no other key.
 */
export class Lanes {
  readonly #limits: LaneLimits;
  readonly #keys = new Map<string, KeyState>();
  /** Ready keys, which have a waiting task and run fewer than `perKey`, in the order of their turns. */
  readonly #ready = new Set<string>();
  #running = 0;
  #waiting = 0;

  constructor(limits: LaneLimits) {
    const { total, perKey, waiting, timeoutMs } = limits;
    assert(total >= 1 && perKey >= 1 && waiting >= 0 && timeoutMs > 0, "lanes let something run");
    this.#limits = limits;
  }

  /**
   * Runs a task and resolves to its result. Rejects with the task's own error, a `LanesFullError`, a `LaneTimeoutError`, or the reason of
   * the signal that cancels the task.
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

  /** Whether a new task of a key would start at once: a lane is free, and no other task of the key waits. */
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
    // The key goes to the end of the round.
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

  /** Ends a task from outside. The lane is free at once: work that ignores the signal must not keep the lane. */
  #end(job: Job, reason: unknown): void {
    job.fail(reason);
    job.controller.abort(reason);
    this.#release(job);
  }

  /** Frees the lane of a task, once. */
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

/** Options for processing a list of items in lanes of its own. */
export interface ListWork<T> {
  readonly limits: Omit<LaneLimits, "waiting">;
  readonly keyOf: (item: T) => string;
  readonly run: (item: T, signal: AbortSignal) => Promise<void>;
  readonly signal?: AbortSignal;
}

export interface ItemResult<T> {
  readonly item: T;
  /** The error of the work; undefined if the work was done. */
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
  /** Frees the lane; set while the task holds one. */
  release?: (() => void) | undefined;
}
