/** Calls `pass` after a time in milliseconds, unless the deadline is ended before. */
export type StartDeadline = (afterMs: number, pass: () => void) => RunningDeadline;

export interface RunningDeadline {
  end(): void;
  /** Aborts when the deadline passes, after `pass`. Deadlines that pass together may share it. */
  readonly signal: AbortSignal;
}

/** A timer for each deadline: for work that ends with its request. */
export const ownDeadline: StartDeadline = (afterMs, pass) => {
  const group = new DeadlineGroup();
  const timer = setTimeout(() => group.pass(), afterMs);
  group.start(pass);
  return {
    end: () => clearTimeout(timer),
    get signal() {
      return group.signal;
    },
  };
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
/**
 * So many deadlines of a step share a signal at most. The runtime keeps a signal of each call in memory until garbage is
 * collected, and what a call costs grows with the calls that have the same one.
 */
const SHARED_MAX = 32;

/** Deadlines of one length. It turns by one step at a time, and only while there are deadlines. */
class DeadlineWheel {
  readonly #stepMs: number;
  /** What passes at a step, by the step's number: the last group has room. */
  readonly #slots = new Map<number, DeadlineGroup[]>();
  #step = 0;
  #isTurning = false;

  constructor(lengthMs: number) {
    this.#stepMs = lengthMs / STEPS;
  }

  start(pass: () => void): RunningDeadline {
    const step = this.#step + STEPS + 1; // the step that is under way may end at once
    const groups = this.#slots.get(step) ?? [];
    this.#slots.set(step, groups);
    let group = groups.at(-1);
    if (group === undefined || group.isFull) groups.push((group = new DeadlineGroup()));
    this.#turn();
    return group.start(pass);
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
    const isLeft = [...this.#slots.values()].some((groups) => groups.some((it) => !it.isOver));
    if (isLeft) this.#turn();
    else this.#slots.clear();
    for (const group of due) group.pass();
  }
}

/** Deadlines that pass together and share a signal, which is made when it is first asked for. */
class DeadlineGroup {
  readonly #running = new Set<GroupedDeadline>();
  #started = 0;
  #controller: AbortController | undefined;

  get isFull(): boolean {
    return this.#started === SHARED_MAX;
  }

  /** Whether all that was started has ended. */
  get isOver(): boolean {
    return this.#running.size === 0;
  }

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    return this.#controller.signal;
  }

  start(pass: () => void): RunningDeadline {
    this.#started++;
    const deadline = new GroupedDeadline(this, pass);
    this.#running.add(deadline);
    return deadline;
  }

  end(deadline: GroupedDeadline): void {
    this.#running.delete(deadline);
  }

  pass(): void {
    if (this.isOver) return;
    for (const { pass } of this.#running) pass();
    this.#controller?.abort();
  }
}

class GroupedDeadline implements RunningDeadline {
  readonly pass: () => void;
  readonly #group: DeadlineGroup;

  constructor(group: DeadlineGroup, pass: () => void) {
    this.#group = group;
    this.pass = pass;
  }

  get signal(): AbortSignal {
    return this.#group.signal;
  }

  end(): void {
    this.#group.end(this);
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
  const deadline = ownDeadline(afterMs, () => controller.abort(reason));
  try {
    return await work(controller.signal);
  } finally {
    deadline.end();
  }
}
