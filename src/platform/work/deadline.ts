/** Starts a deadline, which calls `pass` after `afterMs` milliseconds unless it is ended earlier. */
export type StartDeadline = (afterMs: number, pass: () => void) => RunningDeadline;

export interface RunningDeadline {
  end(): void;
  /** Aborts when the deadline passes, after `pass`. Deadlines that pass together may share a signal. */
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
 * Deadlines in a Durable Object, by a timing wheel for each length (G. Varghese and T. Lauck, "Hashed and Hierarchical Timing Wheels", SOSP
 * 1987). The runtime keeps about 250 bytes of each cleared timer until the object leaves memory, so that a timer for each call would make a
 * busy object grow without bound. Deadlines of one length share one timer, which is never cleared:
 *
 *     length 10 s, 20 steps of 0.5 s
 *     step   41      42      43     ...     61      62
 *            [ ]    [c c]    [ ]            [c]     [c c]    ◄── start() at step 41 adds to slot 62
 *             ▲ now: the timer rings each step, and the calls of a slot that are still running pass
 *
 * A deadline never passes too early. It may be late by a twentieth of its time, and by the delays that other work of the object causes to
 * the timer's twenty rings.
 */
export function sharedDeadlines(): StartDeadline {
  const wheels = new Map<number, DeadlineWheel>();
  return (afterMs, pass) => {
    const wheel = wheels.get(afterMs) ?? new DeadlineWheel(afterMs);
    wheels.set(afterMs, wheel);
    return wheel.start(pass);
  };
}

/** Steps in the time of a deadline. */
const STEPS = 20;
/**
 * Most deadlines of a step that share a signal. The runtime keeps the signal of a call in memory until garbage collection, and the cost of
 * a call grows with the number of calls that share its signal.
 */
const SHARED_MAX = 32;

/** How late a ring may be, in milliseconds, until the next start of a deadline takes its timer for lost and sets another one. */
const LOST_AFTER_MS = 5000;

/** The wheel for deadlines of one length. The wheel advances step by step, and only while deadlines run. */
class DeadlineWheel {
  readonly #stepMs: number;
  /** The groups that pass at a step, by the step's number. Only the last group may have room. */
  readonly #slots = new Map<number, DeadlineGroup[]>();
  #step = 0;
  /** When the timer rings, in milliseconds since the epoch; undefined while the wheel stands. */
  #ringsMs: number | undefined;
  /** Number of timers that were set. Only the latest one counts. */
  #timers = 0;

  constructor(lengthMs: number) {
    this.#stepMs = lengthMs / STEPS;
  }

  start(pass: () => void): RunningDeadline {
    const step = this.#step + STEPS + 1; // The current step may end at once.
    const groups = this.#slots.get(step) ?? [];
    this.#slots.set(step, groups);
    let group = groups.at(-1);
    if (group === undefined || group.isFull) groups.push((group = new DeadlineGroup()));
    this.#turn();
    return group.start(pass);
  }

  #turn(): void {
    const nowMs = Date.now();
    if (this.#ringsMs !== undefined && nowMs - this.#ringsMs < LOST_AFTER_MS) return;
    this.#ringsMs = nowMs + this.#stepMs;
    const timer = ++this.#timers;
    setTimeout(() => {
      if (timer === this.#timers) this.#advance();
    }, this.#stepMs);
  }

  #advance(): void {
    this.#ringsMs = undefined;
    this.#step++;
    const due = this.#slots.get(this.#step) ?? [];
    this.#slots.delete(this.#step);
    const isLeft = [...this.#slots.values()].some((groups) => groups.some((it) => !it.isOver));
    if (isLeft) this.#turn();
    else this.#slots.clear();
    for (const group of due) group.pass();
  }
}

/** Deadlines that pass together and share a signal, which is made at its first use. */
class DeadlineGroup {
  readonly #running = new Set<GroupedDeadline>();
  #started = 0;
  #controller: AbortController | undefined;

  get isFull(): boolean {
    return this.#started === SHARED_MAX;
  }

  /** Whether all deadlines of the group have ended. */
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

/** The deadline of a piece of work. */
export interface Deadline {
  readonly afterMs: number;
  /** The reason with which the signal of the work aborts. */
  readonly reason: Error;
}

/** Does work with a signal that aborts at the deadline. The work has to end when the signal aborts. */
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
