import { DurableObject } from "cloudflare:workers";
import { runConnector } from "./run.ts";
import { systemContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long one alarm works, in milliseconds, before it rings again. */
const WORK_MS_MAX = 20_000;
/** How long after a crash or a deploy interrupted work is continued, in milliseconds. */
const RESUME_AFTER_MS = 5000;
/** When work that has failed, because D1 did not answer, is repeated. */
const FAILURE_BACKOFF = doubling(1000, 300_000);
/** The name of the object, for the alarms of runtimes that do not know it. */
const REFERENCE_KEY = "reference";

/**
 * The clock of one installation, and the only one that calls its provider for its schedules, a page after the other, so that a
 * provider's limit on calls holds for all of them. All that it does follows from rows in D1, which also say how far it is:
 * the object keeps its name and its alarm. It learns of changes by `refresh`, which the sweep calls again if a crash came in between.
 */
export class ConnectorObject extends DurableObject<Env> {
  /** Counts the changes, which shows whether one came while an alarm was at work. */
  #changes = 0;
  #failures = 0;

  /** Looks at once what is to be done. */
  async refresh(): Promise<void> {
    this.#changes++;
    this.ctx.storage.kv.put(REFERENCE_KEY, this.#reference());
    await this.ctx.storage.setAlarm(Date.now());
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
    }
  }

  async #ring(): Promise<void> {
    const { storage } = this.ctx;
    const reference = this.#reference();
    const changes = this.#changes;
    // A crash in the middle of the work must leave an alarm behind.
    await storage.setAlarm(Date.now() + RESUME_AFTER_MS);
    const context = systemContext(this.env, `connector:${reference}`);
    const next = await runConnector(context, reference, Date.now() + WORK_MS_MAX);
    if ("isRemoved" in next) {
      await storage.deleteAlarm();
      await storage.deleteAll();
    } else if (this.#changes !== changes) {
      await storage.setAlarm(Date.now());
    } else if (next.atMs === Infinity) {
      await storage.deleteAlarm();
    } else {
      await storage.setAlarm(Math.max(next.atMs, Date.now()));
    }
  }

  /** The UUID of its installation, after which the object is named. */
  #reference(): string {
    const reference = this.ctx.id.name ?? this.ctx.storage.kv.get<string>(REFERENCE_KEY);
    if (reference === undefined) throw new Error("the object of a connector has no name");
    return reference;
  }
}
