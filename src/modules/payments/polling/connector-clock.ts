import { DurableObject } from "cloudflare:workers";
import { runConnector } from "./run.ts";
import { claimMovements, nextMovementMs } from "#modules/payments/initiations/movement-rows.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import { lookUp } from "#modules/payments/looking/look-up.ts";
import { execute } from "#modules/payments/movements/execute.ts";
import { MovementLoop } from "#modules/payments/movements/loop.ts";
import { HELD_MS, isHeld } from "#platform/arming/arming-watch.ts";
import { waitsForArming } from "#platform/arming/held-work.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { setAlarm } from "#platform/objects/set-alarm.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long one alarm works before it rings again, in milliseconds. */
const WORK_MS_MAX = 20_000;
/** The time after which work that a crash or a deployment has interrupted is continued, in milliseconds. */
const RESUME_AFTER_MS = 5000;
/** While movements run, the alarm rings after this time at the latest, in milliseconds. Their claims have expired by then. */
const MOVING_MS = 60_000;
/** Waits before work that has failed is repeated, for example because D1 did not answer. */
const FAILURE_BACKOFF = doubling(1000, 300_000);
/** Storage key of the object's name, for alarms of runtimes that do not know the name. */
const REFERENCE_KEY = "reference";

/**
 * The clock of one installation, and the only object that calls the provider for its schedules. It fetches one page at a
 * time, so that the provider's limit on calls holds for all schedules together. Beside that it moves the installation's
 * money, several movements at a time. All its work is in D1 rows, which also hold the progress; the object itself stores
 * only its name and its alarm.
 *
 *     an installation changed ── refresh ─┐                    ┌─ page, page, page …   20 s at most, then the alarm again
 *                                         ├─> the one alarm ──>┤
 *     money is to move ── move ───────────┼───────────────┬───>└─ movements: `MovementLoop`, until none is due
 *                                         │               └─ when none is due: the alarm, for the next one
 *     sweeps `payment-connectors` and     │
 *     `payment-initiations` ──────────────┘  if a crash came between the row and the call
 *
 * While the connector is disarmed, the alarm rings again and again and does nothing, and no movement is claimed. After the arming of a
 * restored copy, each alarm takes the look-up of its payments further, and movements are claimed when it has ended.
 */
export abstract class ConnectorClock extends DurableObject<Env> {
  /**
   * The tables of all entities with rows of connectors. A subclass names them, because this folder does not know the
   * entities.
   */
  protected abstract readonly ownedRows: readonly OwnedRows[];
  /** Counts the calls of `refresh`, which shows whether one came while an alarm was at work. */
  #changes = 0;
  #failures = 0;
  readonly #movements = new MovementLoop({
    claim: (limit) => claimMovements(this.#context(), { reference: this.#reference(), limit }),
    execute: (movement) => execute(this.#context(), openPlugin, movement),
  });
  /** The time of the next movement, in milliseconds since the epoch; `Infinity` if there is none or if it is unknown. */
  #moveAtMs = Infinity;
  /** Failures in a row to read the due movements. */
  #moveFailures = 0;
  /** Whether an alarm is at work. The next alarm rings after its end. */
  #isAtWork = false;

  /** Rings at once, so that changed rows are read. */
  async refresh(): Promise<void> {
    this.#changes++;
    this.#keepReference();
    await setAlarm(this.ctx.storage, Date.now());
  }

  /** Makes the movements that are due. Resolves when they have begun. */
  async move(): Promise<void> {
    this.#keepReference();
    // A crash in the middle of the work must leave an alarm behind.
    await this.#ringBy(Date.now() + RESUME_AFTER_MS);
    this.ctx.waitUntil(this.#move());
  }

  /** Never throws, because the platform gives up on an alarm that fails repeatedly. */
  override async alarm(): Promise<void> {
    try {
      if (await isPutOff(this.ctx.storage, this.env)) return;
      if (await waitsForArming(this.ctx.storage, this.env, this.#reference())) return;
      await this.#ring();
      this.#failures = 0;
    } catch (error) {
      if (isHeld(error)) {
        await setAlarm(this.ctx.storage, Date.now() + HELD_MS);
        return;
      }
      logError("the alarm of a connector failed", error, { connector: this.ctx.id.name });
      const waitMs = waitAfterFailures(FAILURE_BACKOFF, ++this.#failures);
      await setAlarm(this.ctx.storage, Date.now() + waitMs);
    } finally {
      this.#isAtWork = false;
    }
  }

  async #ring(): Promise<void> {
    const { storage } = this.ctx;
    const changes = this.#changes;
    this.#isAtWork = true;
    // A crash in the middle of the work must leave an alarm behind.
    await setAlarm(storage, Date.now() + RESUME_AFTER_MS);
    this.ctx.waitUntil(this.#move());
    const next = await runConnector(this.#context(), {
      reference: this.#reference(),
      ownedRows: this.ownedRows,
      untilMs: Date.now() + WORK_MS_MAX,
    });
    if ("isRemoved" in next) {
      await storage.deleteAlarm();
      await storage.deleteAll();
      return;
    }
    const looking = await lookUp(this.#context(), this.#reference(), openPlugin);
    if (looking.hasEnded) this.ctx.waitUntil(this.#move());
    if (this.#changes !== changes) {
      await setAlarm(storage, Date.now());
    } else {
      await this.#setAlarm(Math.min(next.atMs, looking.atMs, this.#moveAtMs));
    }
  }

  /**
   * Makes movements until none is due, beside the work on schedules. Never throws: if D1 does not answer, the work is
   * repeated.
   */
  async #move(): Promise<void> {
    let nextMs: number;
    this.#moveAtMs = Date.now() + MOVING_MS;
    if (!(await armingOf(this.env).mayCall(this.#reference()))) {
      this.#moveAtMs = Date.now() + HELD_MS;
      return this.#ringBy(this.#moveAtMs);
    }
    try {
      await this.#movements.wake();
      nextMs = (await nextMovementMs(this.#context(), this.#reference())) ?? Infinity;
      this.#moveFailures = 0;
    } catch (error) {
      logError("a connector could not read its due movements of money", error, {
        connector: this.#reference(),
      });
      nextMs = Date.now() + waitAfterFailures(FAILURE_BACKOFF, ++this.#moveFailures);
    }
    this.#moveAtMs = nextMs;
    const waitMs = Math.max(0, nextMs - Date.now());
    // No alarm rings while one is at work, and its work may take longer than `waitMs`.
    if (this.#isAtWork && waitMs < WORK_MS_MAX) setTimeout(() => void this.#move(), waitMs);
    else await this.#ringBy(nextMs);
  }

  /** Makes the alarm ring at a time or before. */
  async #ringBy(atMs: number): Promise<void> {
    const { storage } = this.ctx;
    const current = await storage.getAlarm();
    if (atMs !== Infinity && (current === null || atMs < current)) await this.#setAlarm(atMs);
  }

  async #setAlarm(atMs: number): Promise<void> {
    const { storage } = this.ctx;
    if (atMs === Infinity) await storage.deleteAlarm();
    else await setAlarm(storage, atMs);
  }

  #context(): ServiceContext {
    return systemContext(this.env, `connector:${this.#reference()}`);
  }

  #keepReference(): void {
    const { kv } = this.ctx.storage;
    const reference = this.#reference();
    if (kv.get(REFERENCE_KEY) !== reference) kv.put(REFERENCE_KEY, reference);
  }

  /** The UUID of the installation, which is the name of the object. */
  #reference(): string {
    const reference = this.ctx.id.name ?? this.ctx.storage.kv.get<string>(REFERENCE_KEY);
    if (reference === undefined) throw new Error("the object of a connector has no name");
    return reference;
  }
}
