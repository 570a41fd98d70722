/** Calls `pass` after a time in milliseconds, unless the function that it returns is called before. */
export type StartDeadline = (afterMs: number, pass: () => void) => () => void;

/** A timer for each deadline: for work that ends with its request. */
export const ownDeadline: StartDeadline = (afterMs, pass) => {
  const timer = setTimeout(pass, afterMs);
  return () => clearTimeout(timer);
};

/**
 * Deadlines in a Durable Object. The runtime keeps about 250 bytes of each timer that was cleared until the object leaves
 * memory, so that a timer for each call would make an object that is always at work grow for ever. Here, deadlines of the
 * same length share one timer, which nobody clears. A deadline never passes too early. It may be late by a twentieth of its time,
 * and by what other work of the object delays the timer's twenty rings.
 */
export function sharedDeadlines(): StartDeadline {
  const wheels = new Map<number, DeadlineWheel>();
  return (afterMs, pass) => {
    const wheel = wheels.get(afterMs) ?? new DeadlineWheel(afterMs);
    wheels.set(afterMs, wheel);
    return wheel.start(pass);
  };
}

/** How many steps the time of a deadline has. */
const STEPS = 20;

/** Deadlines of one length. It turns by one step at a time, and only while there are deadlines. */
class DeadlineWheel {
  readonly #stepMs: number;
  /** What passes at a step, by the step's number. */
  readonly #slots = new Map<number, Set<{ readonly pass: () => void }>>();
  #step = 0;
  #isTurning = false;

  constructor(lengthMs: number) {
    this.#stepMs = lengthMs / STEPS;
  }

  start(pass: () => void): () => void {
    const step = this.#step + STEPS + 1; // the step that is under way may end at once
    const slot = this.#slots.get(step) ?? new Set();
    this.#slots.set(step, slot);
    const deadline = { pass };
    slot.add(deadline);
    this.#turn();
    return () => void slot.delete(deadline);
  }

  #turn(): void {
    if (this.#isTurning) return;
    this.#isTurning = true;
    setTimeout(() => this.#advance(), this.#stepMs);
  }

  #advance(): void {
    this.#isTurning = false;
    this.#step++;
    const due = this.#slots.get(this.#step) ?? [];
    this.#slots.delete(this.#step);
    if ([...this.#slots.values()].some(({ size }) => size > 0)) this.#turn();
    else this.#slots.clear();
    for (const { pass } of due) pass();
  }
}

/** When work as a whole has to end. */
export interface Deadline {
  readonly afterMs: number;
  /** What the signal of the work aborts with. */
  readonly reason: Error;
}

/** Does work with a signal that aborts at the deadline. The work itself has to heed it. */
export async function withDeadline<T>(
  { afterMs, reason }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = ownDeadline(afterMs, () => controller.abort(reason));
  try {
    return await work(controller.signal);
  } finally {
    end();
  }
}
