import { DurableObject } from "cloudflare:workers";
import { MODULES } from "./modules.ts";
import { systemClock } from "#platform/clock.ts";
import { systemContext } from "#platform/context.ts";
import { Outbox } from "#platform/events/outbox.ts";
import type { Sweep } from "#platform/modules/module.ts";
import { runSweeps } from "#platform/modules/sweeps.ts";
import { sweepReserve } from "#platform/storage/reserve-sweep.ts";
import { sweepSizes } from "#platform/storage/watch.ts";
import { toMillis } from "#platform/time.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

const SWEEPS: readonly Sweep[] = [
  { name: "storage-reserve", run: sweepReserve },
  { name: "storage-sizes", run: sweepSizes },
  { name: "outbox", run: (context) => Outbox.from(context).sweep() },
  ...MODULES.flatMap(({ sweeps = [] }) => sweeps),
];

/** When sweeps that were cut off or have failed are repeated. */
const SWEEP_BACKOFF = doubling(15_000, 120_000);
/** How long after one sweep the next one comes while the clock watches. */
const WATCH_INTERVAL_MS = 4000;
/** Until when the clock watches, in milliseconds since the epoch. */
const WATCH_KEY = "watchUntilMs";

/** The test write is larger than the largest transaction of a ledger. */
const TRIAL_KEY = "trial";
const TRIAL_BYTES = 262_144;

/**
 * The one alarm of a deployment. It is set as long as a sweep has something left to do, and survives what a queue does not. A
 * deployment in which nothing was ever done has none; later it rings once an hour at least, to look after the room of the database.
 */
export class ClockObject extends DurableObject<Env> {
  /** Counts the calls of `arm`, which shows whether one came while a sweep was reading. */
  #arms = 0;
  /** How many alarms in a row had a sweep that failed. */
  #failures = 0;

  /** Makes sure that a sweep runs at `atMs` or before. */
  async arm(atMs: number): Promise<void> {
    this.#arms++;
    const current = await this.ctx.storage.getAlarm();
    if (current === null || atMs < current) await this.ctx.storage.setAlarm(atMs);
  }

  /**
   * Makes sure that sweeps run repeatedly until `untilMs`, and once after it. This is for work whose record is still
   * being stored: a sweep may come before the record, and the process that stores it may be killed right after.
   */
  async watch(untilMs: number): Promise<void> {
    const { kv } = this.ctx.storage;
    kv.put(WATCH_KEY, Math.max(kv.get<number>(WATCH_KEY) ?? 0, untilMs));
    await this.arm(toMillis(systemClock()) + WATCH_INTERVAL_MS);
  }

  /** Resolves when a write of some size was stored, and fails where there is no room for one. */
  async tryWrite(): Promise<void> {
    const { kv } = this.ctx.storage;
    kv.put(TRIAL_KEY, new Uint8Array(TRIAL_BYTES));
    await this.ctx.storage.sync();
    kv.delete(TRIAL_KEY);
  }

  override async alarm(): Promise<void> {
    const arms = this.#arms;
    if (await isPutOff(this.ctx.storage, this.env)) return;
    const nowMs = toMillis(systemClock());
    // The platform gives up on an alarm that fails again and again; this one is set before anything can fail.
    await this.ctx.storage.setAlarm(nowMs + waitAfterFailures(SWEEP_BACKOFF, this.#failures + 1));
    const contextOf = ({ name }: Sweep) => systemContext(this.env, `sweep:${name}`);
    const { nextMs: sweepMs, hasFailed } = await runSweeps(SWEEPS, contextOf);
    this.#failures = hasFailed ? this.#failures + 1 : 0;
    const nextMs = Math.min(sweepMs, this.#nextRetry(), this.#nextWatch(nowMs));
    // Work that came meanwhile may not have been seen; the alarm that is set looks after it.
    if (this.#arms !== arms) return nextMs === Infinity ? undefined : this.arm(nextMs);
    if (nextMs === Infinity) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(nextMs);
  }

  /** When the sweeps are repeated because one of the last ones has failed. */
  #nextRetry(): number {
    if (this.#failures === 0) return Infinity;
    return toMillis(systemClock()) + waitAfterFailures(SWEEP_BACKOFF, this.#failures);
  }

  /** When the next sweep is due because the clock watches, after a sweep that began at `nowMs`. */
  #nextWatch(nowMs: number): number {
    const { kv } = this.ctx.storage;
    const untilMs = kv.get<number>(WATCH_KEY);
    if (untilMs === undefined) return Infinity;
    if (nowMs < untilMs) return toMillis(systemClock()) + WATCH_INTERVAL_MS;
    kv.delete(WATCH_KEY);
    return Infinity;
  }
}
