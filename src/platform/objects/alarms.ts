import { type AlarmStorage, setAlarm } from "./set-alarm.ts";
import { logError } from "#platform/log.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** Waits before failed work of an alarm is repeated. */
const FAILURE_BACKOFF = doubling(15_000, 300_000);

/**
 * Named alarms of a Durable Object, multiplexed on the platform's single alarm, which is set to the earliest. Each name has work of its
 * own.
 *
 *     set("a", 10) ─► due: a 10, b 30 ─► setAlarm(10)         only the earliest time is stored
 *     ring() ───────► work of a       ─► setAlarm(30)
 *     evicted ──────► due: unknown    ─► ring(): work of a and of b
 *
 * An object that was evicted does not know the names behind its stored alarm, so that its first ring does the work of all names: work must
 * check by itself whether anything is to be done.
 */
export class Alarms<Name extends string> {
  readonly #storage: AlarmStorage;
  readonly #work: ReadonlyMap<Name, () => unknown>;
  readonly #dueMs = new Map<Name, number>();
  /** Consecutive failures of an alarm's work. */
  readonly #failures = new Map<Name, number>();
  /** The time of the object's alarm, if it was set since the last ring. */
  #storedMs: number | undefined;
  /** The time for which the object's alarm has rung last. */
  #rungMs: number | undefined;
  #hasRung = false;
  /** The time of the object's alarm from before an eviction, for unknown work. */
  #inheritedMs: number | undefined;

  constructor(storage: AlarmStorage, work: Readonly<Record<Name, () => unknown>>) {
    this.#storage = storage;
    this.#work = new Map(Object.entries(work) as [Name, () => unknown][]);
  }

  /** Whether an alarm is known to be set. */
  isSet(name: Name): boolean {
    return this.#dueMs.has(name);
  }

  /**
   * Sets an alarm to a time in milliseconds since the epoch, in place of its earlier time. The time is stored with the writes of this turn.
   */
  set(name: Name, atMs: number): void {
    this.#dueMs.set(name, atMs);
    this.#store();
  }

  /** Keeps the time of the object's alarm from before this instance, so that no later alarm replaces it. */
  inherit(atMs: number | null): void {
    if (atMs === null) return;
    this.#inheritedMs = atMs;
    this.#storedMs = atMs;
  }

  /** Forgets all alarms, after the object's alarm was deleted. */
  clear(): void {
    this.#dueMs.clear();
    this.#failures.clear();
    this.#storedMs = undefined;
    this.#inheritedMs = undefined;
  }

  /**
   * Does the work that is due, sequentially; the object's `alarm` calls it. Never throws, because the platform gives up on an alarm that
   * fails repeatedly. Failed work is repeated later.
   */
  async ring(): Promise<void> {
    // The object's alarm was set to the earliest time, so that the earliest work is due even if the clock is behind.
    const untilMs = Math.max(Date.now(), Math.min(...this.#dueMs.values()));
    const isDue = (name: Name) => !this.#hasRung || (this.#dueMs.get(name) ?? Infinity) <= untilMs;
    const due = [...this.#work].filter(([name]) => isDue(name));
    this.#hasRung = true;
    this.#rungMs = this.#storedMs;
    this.#storedMs = undefined;
    this.#inheritedMs = undefined;
    for (const [name] of due) this.#dueMs.delete(name);
    for (const [name, work] of due) await this.#run(name, work);
    this.#store();
  }

  async #run(name: Name, work: () => unknown): Promise<void> {
    try {
      await work();
      this.#failures.delete(name);
    } catch (error) {
      logError("the work of an alarm failed and will be repeated", error, { alarm: name });
      const failures = (this.#failures.get(name) ?? 0) + 1;
      this.#failures.set(name, failures);
      this.set(name, Date.now() + waitAfterFailures(FAILURE_BACKOFF, failures));
    }
  }

  #store(): void {
    const earliestMs = Math.min(...this.#dueMs.values(), this.#inheritedMs ?? Infinity);
    if (earliestMs === Infinity || earliestMs === this.#storedMs) return;
    this.#storedMs = earliestMs;
    // The promise is deliberately not awaited: the write is part of this turn's commit, and the answer waits for that
    // commit.
    // After a step of the clock, work may be due at the very time that has just rung; `setAlarm` says why the alarm is not set to it.
    void setAlarm(this.#storage, earliestMs === this.#rungMs ? earliestMs + 1 : earliestMs);
  }
}
