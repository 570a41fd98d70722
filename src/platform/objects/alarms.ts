import { logError } from "#platform/log.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** When the work of an alarm that failed is tried again. */
const FAILURE_BACKOFF = doubling(15_000, 300_000);

/** What an alarm needs of the storage of its object. */
type AlarmStorage = Pick<DurableObjectStorage, "setAlarm">;

/**
 * The alarms of a Durable Object, which has only one: each has a name and work of its own, and the object's alarm is set to
 * the earliest. Only that one is stored. So an object that was evicted doesn't know which of them it was set for, and its
 * first alarm does the work of all: the work must look for itself whether there is anything to do.
 */
export class Alarms<Name extends string> {
  readonly #storage: AlarmStorage;
  readonly #work: ReadonlyMap<Name, () => unknown>;
  readonly #dueMs = new Map<Name, number>();
  /** How often the work of an alarm has failed in a row. */
  readonly #failures = new Map<Name, number>();
  /** What the object's alarm was set to since it rang last. */
  #storedMs: number | undefined;
  #hasRung = false;
  /** What the object's alarm was set to before the object was evicted, nobody knows for which work. */
  #inheritedMs: number | undefined;

  constructor(storage: AlarmStorage, work: Readonly<Record<Name, () => unknown>>) {
    this.#storage = storage;
    this.#work = new Map(Object.entries(work) as [Name, () => unknown][]); // the keys of the record
  }

  /** Whether it is known to be set. */
  isSet(name: Name): boolean {
    return this.#dueMs.has(name);
  }

  /** Sets an alarm to a time in milliseconds, whatever it was set to before. It is stored with the writes of this turn. */
  set(name: Name, atMs: number): void {
    this.#dueMs.set(name, atMs);
    this.#store();
  }

  /** Keeps the time that the object's alarm had when its instance began: no later alarm may replace it. */
  inherit(atMs: number | null): void {
    if (atMs === null) return;
    this.#inheritedMs = atMs;
    this.#storedMs = atMs;
  }

  /** Forgets all of them: the object's own was deleted. */
  clear(): void {
    this.#dueMs.clear();
    this.#failures.clear();
    this.#storedMs = undefined;
    this.#inheritedMs = undefined;
  }

  /**
   * Does the work that is due, one after the other; the object's `alarm` calls it. It never throws, as the platform
   * gives up on an alarm that fails again and again; work that has failed is done again later.
   */
  async ring(): Promise<void> {
    // The alarm was set to the earliest time, so that work is due even if the clock is behind.
    const untilMs = Math.max(Date.now(), Math.min(...this.#dueMs.values()));
    const isDue = (name: Name) => !this.#hasRung || (this.#dueMs.get(name) ?? Infinity) <= untilMs;
    const due = [...this.#work].filter(([name]) => isDue(name));
    this.#hasRung = true;
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
    void this.#storage.setAlarm(earliestMs);
  }
}
