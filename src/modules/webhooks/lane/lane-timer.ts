import type { LaneClock } from "./lane-clock.ts";

/** After this time an alarm looks after work that a crash may have left, in milliseconds. */
const RESUME_MS = 10_000;

/** Longest wait of a timer, in milliseconds; a longer one would ring at once. */
const WAIT_MS_MAX = 2_147_483_647;

export interface LaneTimerPorts {
  /** The clock of the machine, in milliseconds since the epoch. */
  readonly wallMs: () => number;
  /** Lets the lane be woken at a time of the machine's clock, or before, also after the object was evicted. */
  readonly setAlarm: (atMs: number) => void;
}

/**
 * Wakes a lane when there is something to do. A timer in memory is not changed by steps of the machine's clock, an alarm is not
 * lost by a crash: together they are late in neither case.
 */
export class LaneTimer {
  readonly #clock: LaneClock;
  readonly #ports: LaneTimerPorts;
  readonly #onRing: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The time of the lane for which the timer was set. */
  #timerMs: number | undefined;
  #alarmMs: number | undefined;

  constructor(clock: LaneClock, ports: LaneTimerPorts, onRing: () => void) {
    this.#clock = clock;
    this.#ports = ports;
    this.#onRing = onRing;
  }

  /**
   * Sets both to the time of the lane at which there is something to do, undefined for never. While the lane is at work, the
   * alarm looks after what a crash would leave.
   */
  set(nextMs: number | undefined, isBusy: boolean): void {
    const laneMs = this.#clock.nowMs();
    const timerMs = nextMs !== undefined && nextMs > laneMs ? nextMs : undefined;
    // The runtime keeps timers that were cleared, so that one which is still right stays.
    if (timerMs !== this.#timerMs) this.#setTimer(timerMs, laneMs);
    if (nextMs === undefined && !isBusy) return;
    const atMs = isBusy ? laneMs + RESUME_MS : Math.max(nextMs ?? 0, laneMs);
    this.#setAlarm(this.#clock.toWallMs(atMs));
  }

  #setTimer(timerMs: number | undefined, laneMs: number): void {
    this.stop();
    if (timerMs === undefined) return;
    const waitMs = Math.min(timerMs - laneMs, WAIT_MS_MAX);
    this.#timerMs = timerMs;
    this.#timer = setTimeout(() => {
      this.#timerMs = undefined;
      this.#clock.hasReached(laneMs + waitMs);
      this.#onRing();
    }, waitMs);
  }

  /** The alarm rang. */
  hasRung(): void {
    this.#alarmMs = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timerMs = undefined;
  }

  /**
   * An alarm that rings too early does no harm, and setting one costs a row. One that is due already rings at any moment: to
   * replace it would cancel it half-way.
   */
  #setAlarm(atMs: number): void {
    if (this.#alarmMs !== undefined && this.#alarmMs <= atMs) return;
    this.#alarmMs = atMs;
    this.#ports.setAlarm(atMs);
  }
}
