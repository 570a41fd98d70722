import { logError } from "#platform/log.ts";

/** What a watch needs besides memory. */
export interface EndWatchPorts {
  /** Which of some instances have ended. */
  readonly look: (ids: readonly string[]) => Promise<readonly string[]>;
  readonly pause: (milliseconds: number) => Promise<void>;
  readonly nowMs: () => number;
}

/** How long to pause between two looks, in milliseconds. */
const LOOK_MS = 500;
/** Most that wait at once; whoever comes beyond them does not wait. */
const WAITERS_MAX = 5000;

interface Waiter {
  readonly untilMs: number;
  readonly leave: () => void;
}

/**
 * Waits for the ends of instances. Whoever executes one here says when it may have ended; for those that end elsewhere there is one look
 * for all together, twice a second, so that what waiting costs does not grow with the number of those who wait:
 *
 *     wait(a) wait(a) wait(b) ──► one look for [a, b] ──► a has ended: both leave
 *     mayHaveEnded(b) ──────────► one look for [b] ─────► b has ended: it leaves
 */
export class EndWatch {
  readonly #ports: EndWatchPorts;
  readonly #waiters = new Map<string, Set<Waiter>>();
  #count = 0;
  #isLooking = false;

  constructor(ports: EndWatchPorts) {
    this.#ports = ports;
  }

  /** Resolves at the end of an instance, or when its time is over. */
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

  /** Looks at once after an instance that may have ended, if anybody waits for it. */
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

  /** A look that fails is made again: whoever waits leaves when the time is over. */
  async #lookAfter(ids: readonly string[]): Promise<void> {
    try {
      for (const id of await this.#ports.look(ids)) this.#ended(id);
    } catch (error) {
      logError("ends of instances could not be looked after", error, { count: ids.length });
    }
  }

  #expire(): void {
    const nowMs = this.#ports.nowMs();
    for (const [id, waiters] of this.#waiters) {
      for (const waiter of waiters) if (waiter.untilMs <= nowMs) this.#leave(id, waiter);
    }
  }
}
