import { DurableObject } from "cloudflare:workers";
import { inArray, sql } from "drizzle-orm";
import { EndWatch } from "./end-watch.ts";
import { executeRun, INLINE_MS_MAX } from "./execute-run.ts";
import { type RunParams, startRun } from "./platform.ts";
import { type Wake, WakeList } from "./wake-list.ts";
import { orchestrationInstances } from "#modules/orchestration/instances/tables.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import { type CopyStep, ObjectCopy } from "#platform/backup/object-copy.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { settleAll } from "#platform/work/lanes.ts";

/** Most instances that go on in one turn, and how many at once, so that requests share D1 with few instances however many are due. */
const WAKES_PER_TURN_MAX = 100;
const LANES = { total: 8, perKey: 1, timeoutMs: 10_000 };

/**
 * The runner of a deployment. It executes instances at their time, a few at once, and requests wait here for the end of an instance. Its
 * storage has the time of each instance; how far an instance has come is in D1. After a crash, the list and the alarm are there, and work
 * that was under way is repeated. The sweep looks after an instance that should have gone on 20 seconds ago.
 */
export class InstanceRunnerObject extends DurableObject<Env> {
  readonly #tableCopy: ObjectCopy;
  readonly #wakes: WakeList;
  readonly #alarms: Alarms<"wakes">;
  readonly #ends: EndWatch;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#wakes = new WakeList(durableSql(ctx.storage));
    this.#tableCopy = new ObjectCopy(durableSql(ctx.storage));
    this.#alarms = new Alarms(ctx.storage, { wakes: () => this.#runDue() });
    this.#ends = new EndWatch({
      look: (ids) => endedOf(env, ids),
      pause: (milliseconds) =>
        new Promise((resolve) => {
          setTimeout(resolve, milliseconds);
        }),
      nowMs: () => Date.now(),
    });
    this.#arm();
  }

  /** Copies the tables for a backup. */
  async copyTables(step: CopyStep): ReturnType<ObjectCopy["step"]> {
    return this.#tableCopy.step(step);
  }

  /** Makes sure that an instance goes on at a time, or earlier. */
  wake(run: RunParams, atMs: number): void {
    this.#wakes.add({ ...run, atMs });
    this.#arm();
  }

  /** Resolves at the end of an instance, and after some milliseconds at the latest. */
  untilEnd(id: string, waitMs: number): Promise<void> {
    return this.#ends.wait(id, waitMs);
  }

  override async alarm(): Promise<void> {
    if (await isPutOff(this.ctx.storage, this.env)) return;
    const arming = armingOf(this.env);
    if (await arming.mayCall()) await this.#alarms.ring();
    // A wake that comes when the deployment is armed sets the alarm to its own, earlier time.
    else this.#alarms.set("wakes", Date.now() + (await arming.heldMs()));
  }

  #arm(): void {
    const nextMs = this.#wakes.nextMs();
    if (nextMs !== undefined) this.#alarms.set("wakes", nextMs);
  }

  async #runDue(): Promise<void> {
    const due = this.#wakes.due(Date.now(), WAKES_PER_TURN_MAX);
    await settleAll(due, {
      limits: LANES,
      keyOf: ({ id }) => id,
      run: (wake) => this.#run(wake),
    });
    this.#arm();
  }

  async #run(wake: Wake): Promise<void> {
    const next = await executeRun(this.env, wake, Date.now() + INLINE_MS_MAX);
    if (next.kind === "go-on") await startRun({ env: this.env }, wake);
    this.#wakes.remove(wake);
    if (next.kind === "wait") this.#wakes.add({ ...wake, atMs: Date.now() + next.waitMs });
    if (next.kind === "end") await this.#ends.mayHaveEnded(wake.id);
  }
}

/** Which of some instances have ended, with one query for all. */
async function endedOf(env: Env, ids: readonly string[]): Promise<string[]> {
  const { id, terminatedAt } = orchestrationInstances;
  const rows = await databaseOf(env)
    .select({ id })
    .from(orchestrationInstances)
    .where(
      sql`${inArray(id, sql`(SELECT value FROM json_each(${stringifyJson(ids)}))`)} AND ${terminatedAt} IS NOT NULL`,
    );
  return rows.map((row) => row.id);
}
