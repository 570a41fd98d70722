import type { MovementRow } from "#modules/payments/initiations/movement-rows.ts";
import { logError } from "#platform/log.ts";
import { Lanes } from "#platform/work/lanes.ts";

/** Most movements of one connector that run at once. */
export const MOVING_MAX = 4;
/**
 * How long one movement may keep its place before the next one starts, in milliseconds. Less than the time for which it is
 * claimed.
 */
const MOVEMENT_MS_MAX = 45_000;
/** While movements run, the loop looks for due ones again after this time, in milliseconds. */
const LOOK_MS = 1000;

/** The functions with which the loop moves the money of one connector. */
export interface Mover {
  /** Claims due movements, those that have been due for longest first. */
  readonly claim: (limit: number) => Promise<MovementRow[]>;
  /** Does the next step of a claimed movement. */
  readonly execute: (movement: MovementRow) => Promise<void>;
}

/**
 * Moves the money of one connector, up to `MOVING_MAX` movements at once, each as soon as it is due and a place is free:
 *
 *     wake ──> claim as many as places are free ──> none is due or running: rest
 *                 ▲                      │
 *                 └── one has ended, ────┘ each: call the provider, store the outcome; 45 s at most
 *                     or wake, or a second
 *
 * Each connector has its own loop, so a provider that hangs occupies only places of its own connector. All state is in D1:
 * if the loop is cut off, claims expire after a minute, and another loop continues.
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

  /** Makes movements until none is due or running; resolves then. Throws errors of `claim`. */
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
      // Nothing was awaited since `wakes` was compared, so no call of `wake` is lost.
      this.#loop = undefined;
    }
  }

  /** Waits until a movement ends; while a place is free, also for `wake` or `LOOK_MS`. */
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

  /** Never throws: after an error, the movement is claimed again. */
  async #move(movement: MovementRow): Promise<void> {
    try {
      await this.#places.run({ key: "", run: () => this.#mover.execute(movement) });
    } catch (error) {
      logError("a movement of money broke off; it is claimed again after a minute", error, {
        movement: movement.key,
        task: movement.task,
      });
    }
  }
}
