import { DurableObject } from "cloudflare:workers";
import { Delivery, type NextRun } from "./delivery.ts";
import { type Progress, PROGRESS_TABLES, ProgressStore } from "./progress.ts";
import type { LogTextPage } from "#ledger-engine";
import { lastEntryOfNamed } from "#modules/catalogue/index.ts";
import { driverContextOf } from "#modules/exporters/drivers/driver.ts";
import { type LogPage, toItems } from "#modules/exporters/drivers/log-page.ts";
import { exporterSettings } from "#modules/exporters/settings.ts";
import { openDestination } from "#modules/exporters/store/exporter-config.ts";
import {
  PIPELINE_BACKLOG,
  type PipelineSpec,
  PipelineStore,
} from "#modules/exporters/store/pipeline-store.ts";
import { waitsForArming } from "#platform/arming/held-work.ts";
import { type CopyStep, ObjectCopy } from "#platform/backup/object-copy.ts";
import {
  ObjectRestoration,
  type ObjectRestoreStep,
  type Settlement,
} from "#platform/backup/object-restoration.ts";
import { databaseOf } from "#platform/db/database.ts";
import { logError } from "#platform/log.ts";
import { objectAt } from "#platform/objects/address.ts";
import { callObject } from "#platform/objects/call.ts";
import { setAlarm } from "#platform/objects/set-alarm.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import { BacklogNote, type ObjectBacklog } from "#platform/status/object-backlogs.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";
import { sharedDeadlines } from "#platform/work/deadline.ts";

/** How long after a crash or a deploy an interrupted run is continued, in milliseconds. */
const RESUME_AFTER_MS = 5000;
/** Wait after an alarm that could do nothing, in milliseconds. */
const BROKEN_BACKOFF = doubling(15_000, 300_000);
/** How long a pipeline waits before it checks again whether exporters are served, in milliseconds. */
const UNSERVED_MS = 3_600_000;

/**
 * One pipeline: sends the log of its ledger to its exporter, from its position on. D1 has what the pipeline should do (`PipelineStore`);
 * this object has how far it got.
 *
 *     wake: new entries ─────┐
 *     refresh: D1 changed ───┴─► alarm ─► spec ─► page after the position ─► batch ─► exporter accepts ─► position moves
 *                                  ▲                ▲                                                          │
 *                                  │                └───────── entries are left, for 20 s at most ─────────────┤
 *                                  └── next alarm: the batch has waited, retry, poll, or entries are left ─────┘
 *
 * `refresh` is called by the request that changes D1, and again by the sweep if a crash came in between. A stopped pipeline has no alarm.
 *
 * The ledger announces new entries until the consumer of the events queue has confirmed them, which it does after `wake` has set the alarm
 * here. Imported entries publish no events; the end of the import wakes their pipelines. In case a wake is lost, an alarm polls the ledger
 * after a wait that grows from the pull interval up to an hour. At an hour, an idle pipeline writes 48 rows a day.
 */
export class PipelineObject extends DurableObject<Env> {
  readonly #tableCopy: ObjectCopy;
  readonly #restoration: ObjectRestoration;
  readonly #progress: ProgressStore;
  /** The delivery is opened at its first use, so that a wrong setting does not keep the object from being created. */
  #opened: Delivery | undefined;
  /** The spec that was read last; undefined if the spec has to be read again. */
  #spec: PipelineSpec | undefined;
  /** The numbers of changes and wakes show whether one came while a run was ending. */
  #changes = 0;
  #wakes = 0;
  #isRunning = false;
  /** Whether the pipeline is deleted for good. A read of D1 that is still under way may find it as it was before. */
  #isRemoved = false;
  /** When the next attempt after a failure starts. An alarm that rings earlier was set before the failure. */
  #retryAtMs = 0;
  /** The number of alarms in a row that could do nothing. */
  #brokenAlarms = 0;
  /** Since when every run has left entries behind, in milliseconds since the epoch; undefined if the last one has not. */
  #behindSinceMs: number | undefined;
  readonly #note: BacklogNote;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const db = () => databaseOf(env);
    this.#note = new BacklogNote({
      kind: PIPELINE_BACKLOG,
      kv: ctx.storage.kv,
      db,
      nowMs: Date.now,
    });
    this.#progress = new ProgressStore(durableSql(ctx.storage));
    const sql = durableSql(ctx.storage);
    this.#tableCopy = new ObjectCopy(sql);
    const settle = () => this.#settle();
    this.#restoration = new ObjectRestoration({ sql, tables: PROGRESS_TABLES, settle });
  }

  /** Copies the tables for a backup. */
  async copyTables(step: CopyStep): ReturnType<ObjectCopy["step"]> {
    return this.#tableCopy.step(step);
  }

  /** Takes the tables of a backup. */
  async restoreTables(step: ObjectRestoreStep): ReturnType<ObjectRestoration["step"]> {
    return this.#restoration.step(step);
  }

  /** Reads the spec again, and follows it. Deletes the storage of this object if the pipeline is deleted. */
  async refresh(): Promise<void> {
    const spec = await PipelineStore.from(this.env).findSpec(this.#id());
    this.#changes++;
    if (spec === undefined) {
      await this.#remove();
      return;
    }
    if (this.#adopt(spec)) {
      this.#retryAtMs = 0;
      // A pipeline that stops gets the alarm, too: a run under way checks the spec, and a new run ends at once.
      if (!this.#isRunning) await setAlarm(this.ctx.storage, Date.now());
    }
  }

  /** Has new entries of the ledger sent. `lastLogId` is the last of them, where it is known. */
  async wake(lastLogId?: number): Promise<void> {
    const progress = this.#progress.read();
    if (progress === undefined) return this.refresh();
    const current = await this.ctx.storage.getAlarm();
    this.#wakes++;
    // New entries are no reason to try again earlier.
    if (progress.failure !== undefined && current !== null) return;
    const atMs = this.#delivery().wakeAtMs(lastLogId);
    if (this.#isRunning || (current !== null && current <= atMs)) return;
    await setAlarm(this.ctx.storage, atMs);
  }

  /** The pipeline's progress; undefined if the object does not know its pipeline yet. */
  progress(): Progress | undefined {
    return this.#progress.read();
  }

  /** Runs the pipeline. Never throws, because the platform gives up on an alarm that fails repeatedly. */
  override async alarm(): Promise<void> {
    try {
      if (await isPutOff(this.ctx.storage, this.env)) return;
      if (await waitsForArming(this.ctx.storage, this.env)) return;
      await this.#ring();
      this.#brokenAlarms = 0;
    } catch (error) {
      logError("the alarm of a pipeline failed", error, { pipeline: this.ctx.id.name });
      const waitMs = waitAfterFailures(BROKEN_BACKOFF, ++this.#brokenAlarms);
      await setAlarm(this.ctx.storage, Date.now() + waitMs);
    }
  }

  /** Fits progress that a backup has to the pipeline and the ledger of the backup. */
  async #settle(): Promise<Settlement> {
    const spec = await PipelineStore.from(this.env).findSpec(this.#id());
    const lastEntry =
      spec === undefined ? undefined : await lastEntryOfNamed(this.env, spec.ledger);
    return {
      change: () => {
        if (spec !== undefined) this.#progress.settle(spec, lastEntry, Date.now());
      },
      // A pipeline that is stopped gets the alarm, too: its run ends at once. One that was deleted is removed by the sweep.
      wake: () => {
        if (this.#progress.read() !== undefined) void setAlarm(this.ctx.storage, Date.now());
      },
    };
  }

  async #ring(): Promise<void> {
    const { storage } = this.ctx;
    if (this.#progress.read() === undefined) return;
    if (!exporterSettings.of(this.env).FLORIN_EXPORTERS)
      return setAlarm(storage, Date.now() + UNSERVED_MS);
    if (Date.now() < this.#retryAtMs) return setAlarm(storage, this.#retryAtMs);
    // A second run would send the entries of the first one again. The end of a run sets the alarm anew.
    if (this.#isRunning) return setAlarm(storage, Date.now() + RESUME_AFTER_MS);
    const [changes, wakes] = [this.#changes, this.#wakes];
    this.#isRunning = true;
    let next: NextRun;
    try {
      // A crash in the middle of a run must leave an alarm behind.
      await setAlarm(storage, Date.now() + RESUME_AFTER_MS);
      next = await this.#delivery().run();
    } finally {
      this.#isRunning = false;
    }
    await this.#noteBacklog(next);
    await this.#setAlarmFor(next, {
      isChanged: this.#changes !== changes,
      isWoken: this.#wakes !== wakes,
    });
  }

  /** Tells D1 whether the pipeline is behind the log of its ledger. */
  async #noteBacklog(next: NextRun): Promise<void> {
    const nowMs = Date.now();
    const isLeft = next.kind === "at" && !next.isRetry && next.atMs <= nowMs;
    this.#behindSinceMs = isLeft ? (this.#behindSinceMs ?? nowMs) : undefined;
    const progress = this.#progress.read();
    if (progress === undefined) return;
    // A pipeline that is stopped waits for nothing.
    const isStopped = next.kind === "never";
    const backlog = isStopped ? undefined : backlogOf(progress, this.#behindSinceMs, nowMs);
    await this.#note.tell(this.#id(), backlog);
  }

  async #setAlarmFor(
    next: NextRun,
    { isChanged, isWoken }: { isChanged: boolean; isWoken: boolean },
  ): Promise<void> {
    const { storage } = this.ctx;
    const nowMs = Date.now();
    if (this.#progress.read() === undefined) await storage.deleteAlarm();
    else if (isChanged) await setAlarm(storage, nowMs);
    else if (next.kind === "never") await storage.deleteAlarm();
    else if (isWoken && !next.isRetry) {
      await setAlarm(storage, Math.min(next.atMs, this.#delivery().wakeAtMs(undefined)));
    } else {
      if (next.isRetry) this.#retryAtMs = next.atMs;
      await setAlarm(storage, next.atMs);
    }
  }

  async #readSpec(): Promise<PipelineSpec | undefined> {
    if (this.#spec !== undefined) return this.#spec;
    const id = this.#id();
    const found = await PipelineStore.from(this.env).findSpec(id);
    // A spec that was adopted during this read is newer.
    if (found === undefined || this.#spec !== undefined) return this.#spec;
    // No spec was adopted since this one was read, so that this one counts, even if its revision is smaller than the adopted one.
    if (!this.#adopt(found) && !this.#isRemoved) {
      this.#progress.toEarlier(found, Date.now());
      this.#spec = found;
    }
    return this.#spec;
  }

  /** Adopts the spec unless a newer one was adopted. Returns whether the spec counts. */
  #adopt(spec: PipelineSpec): boolean {
    const { id, revision, resets } = spec;
    if (this.#isRemoved || !this.#progress.adopt({ id, revision, resets }, Date.now()))
      return false;
    this.#spec = spec;
    return true;
  }

  async #remove(): Promise<void> {
    this.#isRemoved = true;
    await this.#note.tell(this.#id(), undefined);
    this.#spec = undefined;
    this.#progress.forget();
    await this.ctx.storage.deleteAlarm();
    await this.ctx.storage.deleteAll();
  }

  #delivery(): Delivery {
    this.#opened ??= openDelivery(this.env, this.#progress, () => this.#readSpec());
    return this.#opened;
  }

  /** The id of the pipeline, after which the object is named. */
  #id(): string {
    const id = this.ctx.id.name ?? this.#progress.readId();
    if (id === undefined) throw new Error("the object of a pipeline has no name");
    return id;
  }
}

/** Failures in a row from which a pipeline counts as behind: one may have met a restart of its destination. */
const FAILURES_MIN = 2;
/** How long every run may leave entries behind until the pipeline counts as behind, in milliseconds. */
const LATE_MS = 60_000;

/** What waits in a pipeline that is behind; undefined for one that keeps up. The number of entries is not known, so that it counts as one. */
function backlogOf(
  { failure }: Progress,
  behindSinceMs: number | undefined,
  nowMs: number,
): ObjectBacklog | undefined {
  if (failure !== undefined && failure.count >= FAILURES_MIN) {
    return { waiting: 1, sinceMs: failure.sinceMs, reason: failure.message };
  }
  if (behindSinceMs === undefined || nowMs - behindSinceMs < LATE_MS) return undefined;
  const reason = "the ledger has new entries faster than its exporter takes them";
  return { waiting: 1, sinceMs: behindSinceMs, reason };
}

function openDelivery(
  env: Env,
  progress: ProgressStore,
  spec: () => Promise<PipelineSpec | undefined>,
): Delivery {
  const settings = exporterSettings.of(env);
  const context = { ...driverContextOf(env), startDeadline: sharedDeadlines() };
  return new Delivery(
    {
      spec,
      readPage: (ledger, position, countMax) => readPage(env, ledger, { position, countMax }),
      open: (setup) => openDestination(setup, context),
      gate: context.gate,
      nowMs: Date.now,
      random: Math.random,
    },
    progress,
    {
      pullMs: settings.FLORIN_PIPELINE_PULL_INTERVAL,
      retryMs: settings.FLORIN_PIPELINE_PUSH_RETRY_PERIOD,
      pageSize: settings.FLORIN_PIPELINE_PAGE_SIZE,
    },
  );
}

/** Reads entries of a ledger after a position. */
async function readPage(
  env: Pick<Env, "LEDGERS">,
  ledger: string,
  { position = -1, countMax }: { position: number | undefined; countMax: number },
): Promise<LogPage> {
  const page = await callObject(
    objectAt(env, env.LEDGERS, ledger).read({
      name: "exportLogs",
      args: [position, undefined, countMax],
    }),
    { object: "ledger", isRepeatable: true },
  );
  const { text, after, to } = page as LogTextPage; // the type of the read `exportLogs`
  return { items: toItems(text), isLast: after >= to };
}
