import { DurableObject } from "cloudflare:workers";
import { MODULES } from "./modules.ts";
import { systemClock } from "#platform/clock.ts";
import { systemContext } from "#platform/context.ts";
import { Outbox, OUTBOX_SWEEP } from "#platform/events/outbox.ts";
import { logError } from "#platform/log.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { runSweep } from "#platform/modules/sweeps.ts";
import { clockName, RING_MS_MAX, startClock } from "#platform/objects/deployment-clock.ts";
import { sweepReserve } from "#platform/storage/reserve-sweep.ts";
import { sweepSizes } from "#platform/storage/watch.ts";
import { toMillis } from "#platform/time.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

const SWEEPS: readonly Sweep[] = [
  { name: "storage-reserve", run: sweepReserve },
  { name: "storage-sizes", run: sweepSizes },
  { name: OUTBOX_SWEEP, run: (context) => Outbox.from(context).sweep() },
  ...MODULES.flatMap(({ sweeps = [] }) => sweeps),
];

/** When a sweep that was cut off or has failed is repeated. */
const SWEEP_BACKOFF = doubling(15_000, 120_000);
/** How long after one run the next one comes while the clock watches. */
const WATCH_INTERVAL_MS = 4000;
/** Until when the clock watches, in milliseconds since the epoch. */
const WATCH_KEY = "watchUntilMs";
/** The name of the object, for the alarms of runtimes that do not know it. */
const NAME_KEY = "name";

/** The test write is larger than the largest transaction of a ledger. */
const TRIAL_KEY = "trial";
const TRIAL_BYTES = 262_144;

/**
 * The clock of one sweep, which the name of the object says: `sweep:outbox`. Each sweep has an alarm, a bound and a backoff of its own,
 * so that one that hangs or fails delays no other:
 *
 *     request ── watch ─> [sweep:outbox] ··· alarm ─> reads what is due ─> sets its next alarm
 *                               │ start                                     (a failure: later each time)
 *     request ── arm ───> [sweep:wallet-holds] ··· alarm ─> …
 *                               │ start
 *                         [sweep:payment-jobs] ··· 60 s, cut off ✗ ─> logged by its name, 15 s, 30 s … 2 min
 *                               │ start
 *                               ⋮          (the last one starts the first one)
 *
 * An alarm survives what a queue does not. The clocks stand in a circle: one that rings has the next one ring, too, if that has never
 * rung. A deployment in which nothing was ever done has no alarm; once there was something, every sweep runs at least once an hour.
 */
export class ClockObject extends DurableObject<Env> {
  /** Counts the calls of `arm`, which shows whether one came while the sweep was reading. */
  #arms = 0;
  /** How many runs in a row have failed. */
  #failures = 0;
  /** No run comes before, in milliseconds since the epoch: the last one has failed. */
  #restsUntilMs = 0;
  #hasStartedNext = false;

  /** Makes sure that the sweep runs at `atMs`, in milliseconds since the epoch, or before; later only where it fails. */
  async arm(atMs: number): Promise<void> {
    const { storage } = this.ctx;
    this.#keepName();
    this.#arms++;
    const current = await storage.getAlarm();
    const nextMs = Math.max(atMs, this.#restsUntilMs);
    if (current === null || nextMs < current) await storage.setAlarm(nextMs);
  }

  /**
   * Makes sure that the sweep runs repeatedly until `untilMs`, and once after it. This is for work whose record is still
   * being stored: a run may come before the record, and the process that stores it may be killed right after.
   */
  async watch(untilMs: number): Promise<void> {
    const { kv } = this.ctx.storage;
    kv.put(WATCH_KEY, Math.max(kv.get<number>(WATCH_KEY) ?? 0, untilMs));
    await this.arm(toMillis(systemClock()) + WATCH_INTERVAL_MS);
  }

  /** Makes sure that the sweep runs soon, if it has never run. */
  async start(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.arm(toMillis(systemClock()));
  }

  /** Resolves when a write of some size was stored, and fails where there is no room for one. */
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
    // The platform gives up on an alarm that fails again and again; this one is set before anything can fail.
    await storage.setAlarm(nowMs + waitAfterFailures(SWEEP_BACKOFF, this.#failures + 1));
    const starting = this.#startNext(sweep);
    const sweepMs = await this.#run(sweep);
    await starting;
    // A sweep that fails is left alone, whatever was armed meanwhile: its next run finds that, too.
    if (sweepMs === undefined) return storage.setAlarm(this.#restsUntilMs);
    const restMs = toMillis(systemClock()) + RING_MS_MAX;
    const nextMs = Math.min(sweepMs, restMs, this.#nextWatch(nowMs));
    // Work that came meanwhile may not have been seen; the alarm that is set looks after it.
    return this.#arms === arms ? storage.setAlarm(nextMs) : this.arm(nextMs);
  }

  /** Returns when the sweep wants to run again, `Infinity` for never; undefined where it has failed or hung. */
  async #run(sweep: Sweep): Promise<number | undefined> {
    const { name } = sweep;
    try {
      const nextMs = await runSweep(sweep, systemContext(this.env, `sweep:${name}`));
      this.#failures = 0;
      this.#restsUntilMs = 0;
      return nextMs ?? Infinity;
    } catch (error) {
      const waitMs = waitAfterFailures(SWEEP_BACKOFF, ++this.#failures);
      this.#restsUntilMs = toMillis(systemClock()) + waitMs;
      logError("a sweep failed; it is run again, and no other waits for it", error, {
        sweep: name,
        failures: this.#failures,
        waitMs,
      });
      return undefined;
    }
  }

  /** When the next run is due because the clock watches, after a run that began at `nowMs`. */
  #nextWatch(nowMs: number): number {
    const { kv } = this.ctx.storage;
    const untilMs = kv.get<number>(WATCH_KEY);
    if (untilMs === undefined) return Infinity;
    if (nowMs < untilMs) return toMillis(systemClock()) + WATCH_INTERVAL_MS;
    kv.delete(WATCH_KEY);
    return Infinity;
  }

  /** Never throws: the next alarm starts the next clock if this one could not. */
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

  /** A sweep that this version of the code does not have any more is run by nobody. */
  #tellUnknown(): void {
    const error = new Error(`no sweep belongs to the clock '${this.#name()}'`);
    logError("the clock of a sweep that is not known has stopped", error);
  }

  /** Throws for a clock to which no sweep belongs: whoever arms it has named its sweep wrongly. */
  #keepName(): void {
    const { kv } = this.ctx.storage;
    const { name } = this.ctx.id;
    if (this.#findSweep() === undefined) throw new Error(`no sweep belongs to the clock '${name}'`);
    if (name !== undefined && kv.get(NAME_KEY) !== name) kv.put(NAME_KEY, name);
  }
}
