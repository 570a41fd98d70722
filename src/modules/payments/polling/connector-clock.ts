import { DurableObject } from "cloudflare:workers";
import { runConnector } from "./run.ts";
import { claimMovements, nextMovementMs } from "#modules/payments/initiations/movement-rows.ts";
import type { OwnedRows } from "#modules/payments/installs/owned-rows.ts";
import { openPlugin } from "#modules/payments/installs/plugin.ts";
import { execute } from "#modules/payments/movements/execute.ts";
import { MovementLoop } from "#modules/payments/movements/loop.ts";
import { type ServiceContext, systemContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long one alarm works, in milliseconds, before it rings again. */
const WORK_MS_MAX = 20_000;
/** How long after a crash or a deploy interrupted work is continued, in milliseconds. */
const RESUME_AFTER_MS = 5000;
/** While money moves, the alarm looks after that in so many milliseconds: claims have ended then. */
const MOVING_MS = 60_000;
/** When work that has failed, because D1 did not answer, is repeated. */
const FAILURE_BACKOFF = doubling(1000, 300_000);
/** The name of the object, for the alarms of runtimes that do not know it. */
const REFERENCE_KEY = "reference";

/**
 * The clock of one installation, and the only one that calls its provider for its schedules, a page after the other, so that a
 * provider's limit on calls holds for all of them. It moves the installation's money beside that, some movements at a time. All that it
 * does follows from rows in D1, which also say how far it is: the object keeps its name and its alarm.
 *
 *     an installation changed ── refresh ─┐                    ┌─ page, page, page …   20 s at most, then the alarm again
 *                                         ├─> the one alarm ──>┤
 *     money is to move ── move ───────────┼───────────────┬───>└─ movements: `MovementLoop`, without an end while some are due
 *                                         │               └─ when nothing is due: the alarm, for the next one
 *     sweeps `payment-connectors` and     │
 *     `payment-initiations` ──────────────┘  if a crash came between the row and the call
 */
export abstract class ConnectorClock extends DurableObject<Env> {
  /** What the removal of an installation deletes: the rows of all entities, which this folder does not know. */
  protected abstract readonly ownedRows: readonly OwnedRows[];
  /** Counts the changes, which shows whether one came while an alarm was at work. */
  #changes = 0;
  #failures = 0;
  readonly #movements = new MovementLoop({
    claim: (limit) => claimMovements(this.#context(), { reference: this.#reference(), limit }),
    execute: (movement) => execute(this.#context(), openPlugin, movement),
  });
  /** When the next movement is due, in milliseconds since the epoch; `Infinity` where there is none, or it is not known. */
  #moveAtMs = Infinity;
  /** How often in a row what is due could not be read. */
  #moveFailures = 0;
  /** Whether an alarm is at work: it rings again at its end at the earliest. */
  #isAtWork = false;

  /** Looks at once what is to be done. */
  async refresh(): Promise<void> {
    this.#changes++;
    this.#keepReference();
    await this.ctx.storage.setAlarm(Date.now());
  }

  /** Moves what is due. Resolves when that has begun. */
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
      await this.#ring();
      this.#failures = 0;
    } catch (error) {
      logError("the alarm of a connector failed", error, { connector: this.ctx.id.name });
      const waitMs = waitAfterFailures(FAILURE_BACKOFF, ++this.#failures);
      await this.ctx.storage.setAlarm(Date.now() + waitMs);
    } finally {
      this.#isAtWork = false;
    }
  }

  async #ring(): Promise<void> {
    const { storage } = this.ctx;
    const changes = this.#changes;
    this.#isAtWork = true;
    // A crash in the middle of the work must leave an alarm behind.
    await storage.setAlarm(Date.now() + RESUME_AFTER_MS);
    this.ctx.waitUntil(this.#move());
    const next = await runConnector(this.#context(), {
      reference: this.#reference(),
      ownedRows: this.ownedRows,
      untilMs: Date.now() + WORK_MS_MAX,
    });
    if ("isRemoved" in next) {
      await storage.deleteAlarm();
      await storage.deleteAll();
    } else if (this.#changes !== changes) {
      await storage.setAlarm(Date.now());
    } else {
      await this.#setAlarm(Math.min(next.atMs, this.#moveAtMs));
    }
  }

  /**
   * Moves what is due, until nothing is; schedules and movements do not wait for each other. Never throws: where D1 does not answer, it
   * is tried again.
   */
  async #move(): Promise<void> {
    let nextMs: number;
    this.#moveAtMs = Date.now() + MOVING_MS;
    try {
      await this.#movements.wake();
      nextMs = (await nextMovementMs(this.#context(), this.#reference())) ?? Infinity;
      this.#moveFailures = 0;
    } catch (error) {
      logError("a connector could not read what money it has to move", error, {
        connector: this.#reference(),
      });
      nextMs = Date.now() + waitAfterFailures(FAILURE_BACKOFF, ++this.#moveFailures);
    }
    this.#moveAtMs = nextMs;
    const waitMs = Math.max(0, nextMs - Date.now());
    // An alarm that is at work may work for longer than that.
    if (this.#isAtWork && waitMs < WORK_MS_MAX) setTimeout(() => void this.#move(), waitMs);
    else await this.#ringBy(nextMs);
  }

  /** Has the alarm ring at that time or before. */
  async #ringBy(atMs: number): Promise<void> {
    const { storage } = this.ctx;
    const current = await storage.getAlarm();
    if (atMs !== Infinity && (current === null || atMs < current)) await this.#setAlarm(atMs);
  }

  async #setAlarm(atMs: number): Promise<void> {
    const { storage } = this.ctx;
    if (atMs === Infinity) await storage.deleteAlarm();
    else await storage.setAlarm(Math.max(atMs, Date.now()));
  }

  #context(): ServiceContext {
    return systemContext(this.env, `connector:${this.#reference()}`);
  }

  #keepReference(): void {
    const { kv } = this.ctx.storage;
    const reference = this.#reference();
    if (kv.get(REFERENCE_KEY) !== reference) kv.put(REFERENCE_KEY, reference);
  }

  /** The UUID of its installation, after which the object is named. */
  #reference(): string {
    const reference = this.ctx.id.name ?? this.ctx.storage.kv.get<string>(REFERENCE_KEY);
    if (reference === undefined) throw new Error("the object of a connector has no name");
    return reference;
  }
}
