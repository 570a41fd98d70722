import { DurableObject } from "cloudflare:workers";
import { readOwnApiOf } from "./app.ts";
import { SWEEPS } from "./sweeps.ts";
import { systemClock } from "#platform/clock.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { logError, recordedError } from "#platform/log.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { runSweep, type SweepOutcome } from "#platform/modules/sweeps.ts";
import { clockName, RING_MS_MAX, startClock } from "#platform/objects/deployment-clock.ts";
import { setAlarm } from "#platform/objects/set-alarm.ts";
import { isToBeRecorded, recordSweepRun, type SweepRun } from "#platform/status/sweep-runs.ts";
import { toMillis } from "#platform/time.ts";
import { Cause, runCaused } from "#platform/tracing/cause.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** Waits before a failed or timed-out sweep is repeated. */
const SWEEP_BACKOFF = doubling(15_000, 120_000);
/** Time from one run to the next while the clock watches, in milliseconds. */
const WATCH_INTERVAL_MS = 4000;
/** Time until the clock rings again if the database did not take the record of a run, in milliseconds. */
const RECORD_RETRY_MS = 60_000;
/** Shortest time from a run to the next one that somebody asks for, in milliseconds. */
const ASKED_INTERVAL_MS = 5000;
/** The key of the end of the watch, in milliseconds since the epoch. */
const WATCH_KEY = "watchUntilMs";
/** The key of the object's name, for alarms in runtimes that do not know the name. */
const NAME_KEY = "name";

/** The key and the size of the test write, which is larger than the largest transaction of a ledger. */
const TRIAL_KEY = "trial";
const TRIAL_BYTES = 262_144;

/**
 * The clock of one sweep, which the name of the object identifies: `sweep:outbox`. Each sweep has an alarm, a time limit and a backoff of
 * its own, so that a sweep that hangs or fails delays no other:
 *
 *     request ── watch ─> [sweep:outbox] ··· alarm ─> reads due work ─> sets its next alarm
 *                               │ start                                     (after a failure: later each time)
 *                               ⋮
 *                         [sweep:payment-jobs] ··· 60 s, cut off ✗ ─> logged by its name, repeated after 15 s, 30 s … 2 min
 *                               │ start
 *                               ⋮
 *     request ── arm ───> [sweep:wallet-holds] ··· alarm ─> …
 *                               │ start
 *                               ⋮          (the last clock starts the first one)
 *
 * Alarms survive failures that lose messages of a queue. The clocks form a ring: a clock that rings starts the next clock, if the next one
 * has never rung. An unused deployment has no alarms; after its first alarm, every sweep runs at least once an hour. D1 has a row with the
 * last run of each sweep and its last failure, which the status shows (`platform/status/sweep-runs.ts`).
 */
export class ClockObject extends DurableObject<Env> {
  /** The number of calls of `arm`, which shows whether a call came during a run of the sweep. */
  #arms = 0;
  /** Consecutive failed runs. */
  #failures = 0;
  /** The end of the wait after a failed run, in milliseconds since the epoch. No run begins earlier. */
  #restsUntilMs = 0;
  /** The time at which the last run began or ended. */
  #ranMs = 0;
  #hasStartedNext = false;
  /** The error of the last run; undefined if it has succeeded. */
  #error: string | undefined;
  /** The run that this object has recorded last. */
  #recorded: SweepRun | undefined;

  /** Makes sure that the sweep runs at `atMs`, in milliseconds since the epoch, or earlier; later only after a failed run. */
  async arm(atMs: number): Promise<void> {
    const { storage } = this.ctx;
    this.#keepName();
    this.#arms++;
    const current = await storage.getAlarm();
    const nextMs = Math.max(atMs, this.#restsUntilMs);
    if (current === null || nextMs < current) await setAlarm(storage, nextMs);
  }

  /**
   * Makes sure that the sweep runs repeatedly until `untilMs`, and once later. Callers watch before they store the record of some work: a
   * run may come before the record is stored, and the storing process may be killed right after.
   */
  async watch(untilMs: number): Promise<void> {
    const { kv } = this.ctx.storage;
    kv.put(WATCH_KEY, Math.max(kv.get<number>(WATCH_KEY) ?? 0, untilMs));
    await this.arm(toMillis(systemClock()) + WATCH_INTERVAL_MS);
  }

  /**
   * Makes sure that the sweep runs as soon as somebody may ask for: `ASKED_INTERVAL_MS` after the last run, and not before the end of the
   * rest after a failed one. Returns when the clock rings, in milliseconds since the epoch.
   */
  async ring(): Promise<number> {
    const nowMs = toMillis(systemClock());
    // The clock may have stepped back since the last run.
    const askedMs = Math.min(this.#ranMs, nowMs) + ASKED_INTERVAL_MS;
    const atMs = Math.max(nowMs, askedMs, this.#restsUntilMs);
    await this.arm(atMs);
    return (await this.ctx.storage.getAlarm()) ?? atMs;
  }

  /** Makes sure that the sweep runs soon, if it has never run. */
  async start(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.arm(toMillis(systemClock()));
  }

  /** Resolves when a test write was stored. Rejects if the storage has no room for it. */
  async tryWrite(): Promise<void> {
    const { kv } = this.ctx.storage;
    kv.put(TRIAL_KEY, new Uint8Array(TRIAL_BYTES));
    await this.ctx.storage.sync();
    kv.delete(TRIAL_KEY);
  }

  override async alarm(): Promise<void> {
    const { storage } = this.ctx;
    const sweep = this.#findSweep();
    if (sweep === undefined) return this.#tellUnknown();
    const arms = this.#arms;
    if (await isPutOff(this.ctx.storage, this.env)) return;
    const nowMs = toMillis(systemClock());
    this.#ranMs = nowMs;
    // The platform gives up on an alarm that fails repeatedly, so that the next alarm is set before any work can fail.
    await setAlarm(storage, nowMs + waitAfterFailures(SWEEP_BACKOFF, this.#failures + 1));
    const starting = this.#startNext(sweep);
    const outcome = await this.#run(sweep);
    const sweepMs = outcome === undefined ? undefined : (outcome.nextMs ?? Infinity);
    await starting;
    const endedMs = toMillis(systemClock());
    this.#ranMs = endedMs;
    // A failed sweep waits for its backoff, even if it was armed during the run: its next run finds the new work, too.
    const nextMs =
      sweepMs === undefined
        ? this.#restsUntilMs
        : Math.min(sweepMs, endedMs + RING_MS_MAX, this.#nextWatch(nowMs));
    // The run may have missed work that was armed during it, so that an earlier alarm stays.
    const isKept = sweepMs !== undefined && this.#arms !== arms;
    await (isKept ? this.arm(nextMs) : setAlarm(storage, nextMs));
    const run = { name: sweep.name, endedMs, nextMs, error: this.#error };
    await this.#record(
      outcome?.wasPutOff === true ? { ...run, error: undefined, wasPutOff: true } : run,
    );
  }

  /** Records a run in D1. A run that cannot be recorded is no failure of the sweep; the next one comes sooner. */
  async #record(run: SweepRun): Promise<void> {
    if (!isToBeRecorded(run, this.#recorded)) return;
    try {
      await recordSweepRun(databaseOf(this.env), run);
      this.#recorded = run;
    } catch (error) {
      logError("the run of a sweep could not be recorded; the next one is", error, {
        sweep: run.name,
      });
      await this.arm(toMillis(systemClock()) + RECORD_RETRY_MS);
    }
  }

  /** Runs the sweep. Returns undefined if the sweep has failed or timed out. A sweep that is put off neither fails nor ends a row of failures. */
  async #run(sweep: Sweep): Promise<SweepOutcome | undefined> {
    const { name } = sweep;
    try {
      const context = systemContext(this.env, `sweep:${name}`);
      const readOwnApi = readOwnApiOf(this.env);
      const outcome = await runCaused(Cause.ofJob(context.requestId), () =>
        runSweep(sweep, { ...context, readOwnApi }),
      );
      if (outcome.wasPutOff) return outcome;
      this.#failures = 0;
      this.#restsUntilMs = 0;
      this.#error = undefined;
      return outcome;
    } catch (error) {
      const waitMs = waitAfterFailures(SWEEP_BACKOFF, ++this.#failures);
      this.#restsUntilMs = toMillis(systemClock()) + waitMs;
      this.#error = recordedError(error);
      logError("a sweep failed; it is run again, and no other waits for it", error, {
        sweep: name,
        failures: this.#failures,
        waitMs,
      });
      return undefined;
    }
  }

  /** The time of the next run because of the watch, after a run that began at `nowMs`; `Infinity` if the watch is over. */
  #nextWatch(nowMs: number): number {
    const { kv } = this.ctx.storage;
    const untilMs = kv.get<number>(WATCH_KEY);
    if (untilMs === undefined) return Infinity;
    if (nowMs < untilMs) return toMillis(systemClock()) + WATCH_INTERVAL_MS;
    kv.delete(WATCH_KEY);
    return Infinity;
  }

  /** Starts the next clock of the ring, once. Never throws: the next alarm tries again after a failure. */
  async #startNext(sweep: Sweep): Promise<void> {
    if (this.#hasStartedNext) return;
    const { name } = SWEEPS[(SWEEPS.indexOf(sweep) + 1) % SWEEPS.length] ?? sweep;
    try {
      await startClock(this.env, name);
      this.#hasStartedNext = true;
    } catch (error) {
      logError("the clock of a sweep could not be started; the next alarm starts it", error, {
        sweep: name,
      });
    }
  }

  #name(): string | undefined {
    return this.ctx.id.name ?? this.ctx.storage.kv.get<string>(NAME_KEY);
  }

  #findSweep(): Sweep | undefined {
    const name = this.#name();
    return SWEEPS.find((sweep) => clockName(sweep.name) === name);
  }

  /** Logs that the clock stops, because this version of the code lacks its sweep. */
  #tellUnknown(): void {
    const error = new Error(`no sweep belongs to the clock '${this.#name()}'`);
    logError("the clock of a sweep that is not known has stopped", error);
  }

  /** Stores the object's name. Throws for a name to which no sweep belongs, because the caller has named its sweep wrongly. */
  #keepName(): void {
    const { kv } = this.ctx.storage;
    const { name } = this.ctx.id;
    if (this.#findSweep() === undefined) throw new Error(`no sweep belongs to the clock '${name}'`);
    if (name !== undefined && kv.get(NAME_KEY) !== name) kv.put(NAME_KEY, name);
  }
}
