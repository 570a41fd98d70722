import { DurableObject } from "cloudflare:workers";
import { WebhookService } from "./modules/webhooks/index.ts";
import { logError } from "./platform/log.ts";
import { systemClock, toMillis } from "./platform/time.ts";

/** Puts right what is overdue in one module, and returns when to look again, in milliseconds since the epoch. */
type Sweep = (env: Env) => Promise<number | undefined>;

const SWEEPS: readonly Sweep[] = [(env) => WebhookService.from(env).sweep()];

/** When a sweep that was cut off or has failed is repeated. */
const SWEEP_RETRY_MS = 15_000;

/**
 * The one alarm of a deployment. It is set as long as work is under way anywhere, and survives what a queue does not. An
 * idle deployment has none.
 */
export class ClockObject extends DurableObject<Env> {
  /** Calls of `arm` so far: tells whether one came while a sweep was reading. */
  #arms = 0;

  /** Makes sure that a sweep runs at `atMs` or before. */
  async arm(atMs: number): Promise<void> {
    this.#arms++;
    const current = await this.ctx.storage.getAlarm();
    if (current === null || atMs < current) await this.ctx.storage.setAlarm(atMs);
  }

  override async alarm(): Promise<void> {
    const arms = this.#arms;
    const nowMs = toMillis(systemClock());
    // The platform gives up on an alarm that fails again and again; this one is set before anything can fail.
    await this.ctx.storage.setAlarm(nowMs + SWEEP_RETRY_MS);
    const nextMs = await this.#sweepAll(nowMs + SWEEP_RETRY_MS);
    // Work that came meanwhile may not have been seen; the alarm that is set looks after it.
    if (this.#arms !== arms) return;
    if (nextMs === undefined) await this.ctx.storage.deleteAlarm();
    else await this.ctx.storage.setAlarm(nextMs);
  }

  /** Runs every sweep, whatever happens to the others, and returns the earliest time at which one wants to run again. */
  async #sweepAll(retryMs: number): Promise<number | undefined> {
    const times: number[] = [];
    for (const result of await Promise.allSettled(SWEEPS.map((sweep) => sweep(this.env)))) {
      if (result.status === "rejected") {
        logError("a sweep failed", result.reason);
        times.push(retryMs);
      } else if (result.value !== undefined) {
        times.push(result.value);
      }
    }
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
