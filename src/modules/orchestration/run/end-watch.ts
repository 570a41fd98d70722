import { logError } from "#platform/log.ts";

/** The query, the timer and the clock that a watch uses. */
export interface EndWatchPorts {
  /** Which of some instances have ended. */
  readonly look: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly nowMs: () => number;
}

/** How long to pause between two looks, in milliseconds. */
const LOOK_MS = 500;
/** Most callers that wait at once. A further call of `wait` returns at once. */
const WAITERS_MAX = 5000;

interface Waiter {
  readonly untilMs: number;
  readonly leave: () => void;
}

/**
 * Waits for the ends of instances. The object that executes an instance here says when the instance may have ended. For instances that end
 * elsewhere, one look twice a second is for all of them, so that the number of looks does not grow with the number of callers:
 *
 *     wait(a) wait(a) wait(b) ──► one look for [a, b] ──► a has ended: both callers leave
 *     mayHaveEnded(b) ──────────► one look for [b] ─────► b has ended: its caller leaves
 */
export class EndWatch {
  readonly #ports: EndWatchPorts;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #count = 0;
  #isLooking = false;

  constructor(ports: EndWatchPorts) {
    this.#ports = ports;
  }

  /** Resolves at the end of an instance, or after `waitMs`. */
  wait(id: string, waitMs: number): Promise<void> {
    if (this.#count >= WAITERS_MAX) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiters = this.#waiters.get(id) ?? new Set();
    this.#waiters.set(id, waiters);
    waiters.add({ untilMs: this.#ports.nowMs() + waitMs, leave: resolve });
    this.#count++;
    void this.#look();
    return promise;
  }

  /** Looks at once whether an instance has ended, if a caller waits for it. */
  async mayHaveEnded(id: string): Promise<void> {
    if (this.#waiters.has(id)) await this.#lookAfter([id]);
  }

  #ended(id: string): void {
    for (const waiter of this.#waiters.get(id) ?? []) this.#leave(id, waiter);
  }

  #leave(id: string, waiter: Waiter): void {
    const waiters = this.#waiters.get(id);
    if (waiters?.delete(waiter) !== true) return;
    this.#count--;
    if (waiters.size === 0) this.#waiters.delete(id);
    waiter.leave();
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      while (this.#count > 0) {
        await this.#ports.pause(LOOK_MS);
        this.#expire();
        if (this.#count === 0) break;
        await this.#lookAfter([...this.#waiters.keys()]);
      }
    } finally {
      this.#isLooking = false;
    }
  }

  /** Looks once. A look that fails is only logged: the next one follows, and callers leave when their time is over. */
  async #lookAfter(ids: readonly string[]): Promise<void> {
    try {
      for (const id of await this.#ports.look(ids)) this.#ended(id);
    } catch (error) {
      logError("the ends of instances could not be looked up", error, { count: ids.length });
    }
  }

  #expire(): void {
    const nowMs = this.#ports.nowMs();
    for (const [id, waiters] of this.#waiters) {
      for (const waiter of waiters) if (waiter.untilMs <= nowMs) this.#leave(id, waiter);
    }
  }
}
