import type { LaneClock } from "./lane-clock.ts";

/** How soon an alarm rings while the lane works, in milliseconds. After a crash it resumes the work. */
const RESUME_MS = 10_000;

/** Longest wait that `setTimeout` takes, in milliseconds. It runs at once for a longer one. */
const WAIT_MS_MAX = 2_147_483_647;

export interface LaneTimerPorts {
  /** The machine's clock, in milliseconds since the epoch. */
  readonly wallMs: () => number;
  /** Sets an alarm that wakes the lane at a time of the machine's clock or earlier, even if the object is evicted before. */
  readonly setAlarm: (atMs: number) => void;
}

/**
 * Wakes a lane when there is work. A timer in memory is not changed by steps of the machine's clock, and an alarm survives a
 * crash. With both, the lane wakes in time in either case.
 */
export class LaneTimer {
  readonly #clock: LaneClock;
  readonly #ports: LaneTimerPorts;
  readonly #onRing: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The time of the lane at which the timer rings. */
  #timerMs: number | undefined;
  #alarmMs: number | undefined;

  constructor(clock: LaneClock, ports: LaneTimerPorts, onRing: () => void) {
    this.#clock = clock;
    this.#ports = ports;
    this.#onRing = onRing;
  }

  /** Sets timer and alarm to the lane's time of the next work; undefined for none. While the lane works, the alarm is set to `RESUME_MS` from now. */
  set(nextMs: number | undefined, isBusy: boolean): void {
    const laneMs = this.#clock.nowMs();
    const timerMs = nextMs !== undefined && nextMs > laneMs ? nextMs : undefined;
    // The runtime keeps cleared timers in memory, so a timer that is still right is not replaced.
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

  /** Notes that the alarm rang. */
  hasRung(): void {
    this.#alarmMs = undefined;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timerMs = undefined;
  }

  /**
   * Sets the alarm unless it rings earlier already. An early alarm does no harm, and setting one writes a row. Replacing an alarm
   * that is due could cancel it while it runs.
   */
  #setAlarm(atMs: number): void {
    if (this.#alarmMs !== undefined && this.#alarmMs <= atMs) return;
    this.#alarmMs = atMs;
    this.#ports.setAlarm(atMs);
  }
}
