import type { MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { logError } from "#platform/log.ts";
import { Lanes } from "#platform/work/lanes.ts";

/** Most movements of one connector that are under way at once. */
export const MOVING_MAX = 4;
/** How long one of them may take, in milliseconds, before another one has its place: less than it stays claimed. */
const MOVEMENT_MS_MAX = 45_000;
/** How long the loop waits before it looks again for what has become due, in milliseconds, while something is under way. */
const LOOK_MS = 1000;

/** What moves the money of one connector. */
export interface Mover {
  /** Claims movements that are due, the one that is due first before the others. */
  readonly claim: (limit: number) => Promise<MovementRow[]>;
  /** Takes a claimed movement one step further. */
  readonly execute: (movement: MovementRow) => Promise<void>;
}

/**
 * Moves the money of one connector, so many movements at once, each as soon as it is due and there is a place:
 *
 *     wake ──> claim as many as there are places ──> none is due or under way: rest
 *                 ▲                      │
 *                 └── one has ended, ────┘ each: ask the provider, store the outcome; 45 s at most
 *                     or wake, or a second
 *
 * Connectors have loops of their own, so that a provider that hangs takes the places of its own connector only. The loop knows nothing
 * that is not in D1: where it is cut off, claims end after a minute, and another loop goes on.
 */
export class MovementLoop {
  readonly #mover: Mover;
  readonly #places = new Lanes({
    total: MOVING_MAX,
    perKey: MOVING_MAX,
    waiting: MOVING_MAX,
    timeoutMs: MOVEMENT_MS_MAX,
  });
  readonly #moving = new Set<Promise<void>>();
  #loop: Promise<void> | undefined;
  /** Counts the calls of `wake`, which shows whether one came while the loop was reading. */
  #wakes = 0;
  #woken = Promise.withResolvers<void>();

  constructor(mover: Mover) {
    this.#mover = mover;
  }

  /** Moves all that is due. Resolves when nothing is due or under way any more. Throws what `claim` throws. */
  wake(): Promise<void> {
    this.#wakes++;
    this.#woken.resolve();
    this.#loop ??= this.#run();
    return this.#loop;
  }

  async #run(): Promise<void> {
    try {
      for (;;) {
        const wakes = this.#wakes;
        this.#woken = Promise.withResolvers();
        const places = MOVING_MAX - this.#moving.size;
        const claimed = places === 0 ? [] : await this.#mover.claim(places);
        for (const movement of claimed) this.#start(movement);
        if (this.#moving.size > 0) await this.#wait();
        else if (this.#wakes === wakes) return;
      }
    } finally {
      // Nothing is awaited since the last look, so that no call of `wake` is lost.
      this.#loop = undefined;
    }
  }

  /** Waits for a place, and where there is one, for anything that may need it. */
  #wait(): Promise<void> {
    if (this.#moving.size === MOVING_MAX) return Promise.race(this.#moving);
    const { promise: later, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, LOOK_MS);
    return Promise.race([...this.#moving, this.#woken.promise, later]).finally(() => {
      clearTimeout(timer);
    });
  }

  #start(movement: MovementRow): void {
    const work = this.#move(movement).finally(() => this.#moving.delete(work));
    this.#moving.add(work);
  }

  /** Never throws: whoever claims the movement next goes on. */
  async #move(movement: MovementRow): Promise<void> {
    try {
      await this.#places.run({ key: "", run: () => this.#mover.execute(movement) });
    } catch (error) {
      logError("a movement was not brought to its end; it is claimed again after a minute", error, {
        movement: movement.key,
        task: movement.task,
      });
    }
  }
}
