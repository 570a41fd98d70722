import { DurableObject } from "cloudflare:workers";
import {
  ALL_SLICE,
  LaneChanges,
  PAUSE_MS,
  type ReplayCounts,
  SLICE,
  SLICES_MAX,
} from "./lane-changes.ts";
import { type LaneBacklog, LaneReads, LATE_MS } from "./lane-reads.ts";
import { laneRestoration } from "./lane-restoration.ts";
import { LaneStore } from "./lane-store.ts";
import { Lane } from "./lane.ts";
import { LateEndings } from "./late-endings.ts";
import { goOnIfArmed, openPorts, readsWithin } from "./ports.ts";
import { readAllBodies } from "./read-bodies.ts";
import { rereadLedgerEvents } from "#modules/ledger/index.ts";
import { ConfigStore } from "#modules/webhooks/configs/config-store.ts";
import { LaneSpecs } from "#modules/webhooks/configs/lane-specs.ts";
import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import { notReplayable, unknownDelivery } from "#modules/webhooks/core/failures.ts";
import {
  type AttemptPosition,
  type AttemptRecord,
  type DeliveryDetail,
  type DeliveryQuery,
  type DeliveryRecord,
  endingOf,
  type EventBatch,
  LANE_BACKLOG,
  type LaneNeed,
  type LaneSpec,
} from "#modules/webhooks/core/lane.ts";
import { retentionOf, retryPolicyOf, webhookSettings } from "#modules/webhooks/settings.ts";
import { armingOf } from "#platform/arming/isolates.ts";
import { type CopyStep, ObjectCopy } from "#platform/backup/object-copy.ts";
import type { ObjectRestoration, ObjectRestoreStep } from "#platform/backup/object-restoration.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { asResult, type Result, toFailure } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { hasSteps } from "#platform/sql/table-steps.ts";
import { BacklogNote } from "#platform/status/object-backlogs.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";
import { sharedDeadlines } from "#platform/work/deadline.ts";

/** How often old deliveries are purged, in milliseconds. */
const PURGE_INTERVAL_MS = 24 * 3_600_000;

/**
 * The object of one webhook config: its deliveries, calls and retries, and those of no other config. The config itself is in D1
 * and comes here by `configure`.
 *
 *     event listener, sweep ── accept ──────────┐
 *     reconciler ───────────── configure ───────┼─► EndpointObject ─► Lane ─► the endpoint
 *     API ──────────────────── list, replay, … ─┘         │             │
 *     alarms: deliver, end, purge                         └──► SQL ◄────┘
 */
export class EndpointObject extends DurableObject<Env> {
  readonly #sql: Sql;
  readonly #tableCopy: ObjectCopy;
  readonly #restoration: ObjectRestoration;
  readonly #store: LaneStore;
  readonly #changes: LaneChanges;
  readonly #endings: LateEndings;
  readonly #alarms: Alarms<"deliver" | "end" | "note" | "purge">;
  readonly #note: BacklogNote;
  readonly #startDeadline = sharedDeadlines();
  readonly #within = readsWithin(this.#startDeadline);
  #opened: Lane | undefined;
  #creation: Promise<Lane | undefined> | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#tableCopy = new ObjectCopy(this.#sql);
    this.#restoration = laneRestoration(env, this.#sql, (spec) => this.#goOn(spec));
    this.#store = new LaneStore(this.#sql);
    this.#changes = new LaneChanges(this.#sql);
    this.#endings = new LateEndings(this.#sql);
    this.#alarms = new Alarms(ctx.storage, {
      deliver: () => this.#wake(),
      end: () => this.#endPending(),
      note: () => this.#noteBacklog(),
      purge: () => this.#purgeIfDue(),
    });
    const db = () => databaseOf(env);
    this.#note = new BacklogNote({ kind: LANE_BACKLOG, kv: ctx.storage.kv, db, nowMs: Date.now });
    void ctx.blockConcurrencyWhile(async () => this.#alarms.inherit(await ctx.storage.getAlarm()));
  }

  /** Adopts a revision of the config, unless a later one came before. Ends the pending deliveries of an inactive config. */
  async configure(spec: LaneSpec): Promise<void> {
    const lane = await this.#laneOf(spec);
    if (lane === undefined || spec.revision < lane.spec.revision) return;
    this.#adopt(lane, spec);
    if (!spec.active) await this.#endPending();
    if (spec.isDeleted) await this.#purge();
  }

  /**
   * Stores events for a config. `spec` is the config as the sender knows it: the change that made it may come here after its
   * first events. Returns whether the next events should come with their bodies.
   */
  async accept(batch: EventBatch, spec: LaneSpec): Promise<boolean> {
    const lane = await this.#laneOf(spec);
    if (lane === undefined) return false;
    if (spec.revision > lane.spec.revision) this.#adopt(lane, spec);
    const wantsBodies = lane.accept(batch);
    this.ctx.waitUntil(goOnIfArmed(this.env, lane));
    if (!this.#alarms.isSet("purge")) this.#alarms.set("purge", Date.now() + PURGE_INTERVAL_MS);
    return wantsBodies;
  }

  /** Copies the tables for a backup. */
  async copyTables(step: CopyStep): ReturnType<ObjectCopy["step"]> {
    return this.#tableCopy.step(step);
  }

  /** Takes the tables of a backup. */
  async restoreTables(step: ObjectRestoreStep): ReturnType<ObjectRestoration["step"]> {
    return this.#restoration.step(step);
  }

  list(query: DeliveryQuery): DeliveryRecord[] {
    return this.#reads()?.list(query) ?? [];
  }

  /** A delivery with its body, which is absent if the event is gone. Fails with `NOT_FOUND`. */
  async find(seq: number): Promise<Result<DeliveryDetail>> {
    const delivery = this.#reads()?.find(seq);
    return delivery === undefined ? NOT_FOUND : asResult(this.#withBody(delivery));
  }

  /** Until when the lane needs the bodies of events of the outbox. Events whose bodies it does not need are left out. */
  needs(eventIds: readonly string[]): LaneNeed[] {
    return this.#reads()?.needsOf(eventIds, this.#retention) ?? [];
  }

  /** Lists the attempts of a delivery, newest first. Fails with `NOT_FOUND`. */
  attempts(
    seq: number,
    page: { readonly limit: number; readonly after?: AttemptPosition | undefined },
  ): Result<AttemptRecord[]> {
    const reads = this.#reads();
    if (reads?.find(seq) === undefined) return NOT_FOUND;
    return { ok: true, value: reads.attempts(seq, page) };
  }

  /**
   * Attempts a delivery again, at once. A repeated request has the same answer and no further effect. A delivery whose retention
   * is over counts as purged, because its body may be gone. Fails with `NOT_FOUND` or `CONFLICT`.
   */
  async replay(seq: number, request: string): Promise<Result<DeliveryDetail>> {
    const lane = this.#lane();
    if (lane !== undefined) this.#endLate(lane);
    const found = this.#reads()?.find(seq);
    if (lane === undefined || found === undefined) return NOT_FOUND;
    const isNew = this.#changes.recall(request) === undefined;
    if (isNew) {
      const isPossible = found.status === "failed" || found.status === "pending";
      if (!isPossible || !lane.spec.active) return CONFLICT;
      if (found.status === "failed" && found.updatedMs < this.#replayableSinceMs) return NOT_FOUND;
      this.#replayAll([seq], request, lane);
    }
    const delivery = this.#reads()?.find(seq) ?? found;
    // The call begins in the turn that has stored the replay, because a crash may come while the body is read.
    if (isNew) lane.run();
    return asResult(this.#withBody(delivery));
  }

  /** Attempts deliveries again, at once. A repeated request has the same answer and no further effect. */
  replayMany(seqs: readonly number[], request: string): ReplayCounts {
    const known = this.#changes.recall(request);
    if (known !== undefined) return known;
    const lane = this.#lane();
    if (lane === undefined || !lane.spec.active) {
      return { replayed: 0, expedited: 0, skipped: seqs.length };
    }
    this.#endLate(lane);
    const { underWay } = lane.view;
    const free = seqs.filter((seq) => !underWay.has(seq));
    const counts = this.#replayAll(free, request, lane);
    lane.run();
    return { ...counts, skipped: counts.skipped + seqs.length - free.length };
  }

  override async alarm(): Promise<void> {
    if (await isPutOff(this.ctx.storage, this.env)) return;
    await this.#alarms.ring();
  }

  /** Attempts what is due. While the deployment is disarmed, deliveries wait; retention and endings go on. */
  async #wake(): Promise<void> {
    const arming = armingOf(this.env);
    if (await arming.mayCall()) this.#lane()?.wake();
    else this.#alarms.set("deliver", Date.now() + (await arming.heldMs()));
    this.#noteLater();
  }

  /** Goes on after a restoration, in which the config may have become an earlier one. */
  #goOn(spec: LaneSpec): void {
    const lane = this.#lane();
    if (lane !== undefined) this.#adopt(lane, spec);
    for (const name of ["deliver", "end", "purge"] as const) this.#alarms.set(name, Date.now());
  }

  /** Looks soon whether the lane is behind, if it may be. */
  #noteLater(): void {
    const lane = this.#lane();
    if (lane === undefined || this.#alarms.isSet("note")) return;
    const isWorthALook =
      this.#note.notedSinceMs !== undefined || this.#backlogOf(lane) !== undefined;
    if (isWorthALook) this.#alarms.set("note", Date.now() + (lane.isDown ? 0 : LATE_MS));
  }

  /** Tells D1 whether the lane is behind, again and again as long as it has deliveries to attempt. */
  async #noteBacklog(): Promise<void> {
    const lane = this.#lane();
    if (lane === undefined) return;
    const backlog = this.#backlogOf(lane);
    const { configId } = lane.spec;
    await this.#note.tell(configId, backlog?.isBehind === true ? backlog : undefined);
    const isLeft = backlog !== undefined || this.#note.notedSinceMs !== undefined;
    if (isLeft) this.#alarms.set("note", Date.now() + LATE_MS);
  }

  /** The deliveries that wait; undefined for none, and for a config that is not active. */
  #backlogOf({ spec, isDown }: Lane): LaneBacklog | undefined {
    return spec.active ? this.#reads()?.backlog(isDown) : undefined;
  }

  async #withBody(delivery: DeliveryRecord): Promise<DeliveryDetail> {
    const event = this.#reads()?.originOf(delivery.seq);
    if (event === undefined) throw unknownDelivery();
    const origin = this.#store.originOf(event.origin);
    const sources = { context: systemContext(this.env, "webhooks"), reread: rereadLedgerEvents };
    const source = origin.source === "outbox" ? "database" : "ledger";
    const [body] = await this.#within(readAllBodies(origin, [event.position], sources), source);
    return { delivery, body };
  }

  /** Adopts a revision. An earlier deactivation first ends the pending deliveries, even if this object was never told of it. */
  #adopt(lane: Lane, spec: LaneSpec): void {
    const isMissed = lane.spec.active && spec.active && spec.endedRevision > lane.spec.revision;
    if (isMissed) lane.adopt({ ...spec, revision: spec.endedRevision, active: false });
    if (spec.active && !lane.spec.active) this.#endAll(lane);
    lane.adopt(spec);
  }

  /** Ends all pending deliveries in one turn, because the lane is active after it. */
  #endAll(lane: Lane): void {
    const underWay = [...lane.view.underWay.keys()];
    this.#endings.add(underWay, endingOf(lane.spec));
    if (underWay.length > 0) this.#alarms.set("end", Date.now() + PAUSE_MS);
    let ended: number;
    do ended = this.#endSome(lane, ALL_SLICE);
    while (ended === ALL_SLICE);
  }

  /** Ends deliveries whose calls were under way at a deactivation and are over now. */
  #endLate(lane: Lane): void {
    const isLeft = this.#endings.settle([...lane.view.underWay.keys()], Date.now());
    if (isLeft) this.#alarms.set("end", Date.now() + PAUSE_MS);
  }

  #endSome(lane: Lane, limit: number): number {
    const { underWay, head } = lane.view;
    const { status, error } = endingOf(lane.spec);
    const ended = { head, except: [...underWay.keys()], error, wallMs: Date.now(), limit };
    return this.#changes.endPending(status, ended);
  }

  #replayAll(seqs: readonly number[], request: string, lane: Lane): ReplayCounts {
    const at = { laneMs: lane.laneMs, wallMs: Date.now(), failedSinceMs: this.#replayableSinceMs };
    this.ctx.waitUntil(goOnIfArmed(this.env, lane));
    return this.#changes.replayOnce(seqs, request, at);
  }

  /** Ends the pending deliveries of an inactive config, in turns: a lane may have a million. */
  async #endPending(): Promise<void> {
    for (let slice = 0; slice < SLICES_MAX; slice++) {
      const lane = this.#lane();
      if (lane === undefined) return;
      this.#endLate(lane);
      if (lane.spec.active) return;
      const ended = this.#endSome(lane, SLICE);
      if (ended < SLICE) return;
      await scheduler.wait(0);
    }
    this.#alarms.set("end", Date.now() + PAUSE_MS);
  }

  /**
   * Purges if the last purge was long enough ago. A purge reads every delivery, and after an eviction the first alarm does the
   * work of all alarms.
   */
  async #purgeIfDue(): Promise<void> {
    if (this.#lane() === undefined) return;
    const restMs = this.#store.purgedMs() + PURGE_INTERVAL_MS - Date.now();
    // The rest is longer than the interval if the clock was set back.
    if (restMs <= 0 || restMs > PURGE_INTERVAL_MS) await this.#purge();
    else if (this.#store.lastSeq() > 0) this.#alarms.set("purge", Date.now() + restMs);
  }

  /** Removes deliveries after their retention, and the object's whole storage when a deleted config has none left. */
  async #purge(): Promise<void> {
    const { succeededMs, othersMs } = this.#retention;
    for (let slice = 0; slice < SLICES_MAX; slice++) {
      const lane = this.#lane();
      if (lane === undefined) return;
      const nowMs = Date.now();
      const lookedAt = this.#changes.purge({
        succeededBeforeMs: nowMs - succeededMs,
        othersBeforeMs: nowMs - othersMs,
        limit: SLICE,
      });
      if (lookedAt === 0) return this.#endPurge(lane);
      await scheduler.wait(0);
    }
    this.#alarms.set("purge", Date.now() + PAUSE_MS);
  }

  async #endPurge({ spec }: Lane): Promise<void> {
    if (spec.isDeleted && this.#changes.isOver(Date.now() - this.#retention.othersMs)) {
      // If D1 does not answer, the purge counts as not finished and is repeated soon.
      await ConfigStore.from(this.env).forget(spec.configId);
      this.#opened = undefined;
      this.#alarms.clear();
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
      return;
    }
    this.#store.writePurged(Date.now());
    if (this.#store.lastSeq() > 0) this.#alarms.set("purge", Date.now() + PURGE_INTERVAL_MS);
  }

  /** The lane of a config. It is made if there is none; undefined if the config is deleted or its row is gone. */
  async #laneOf({ configId }: LaneSpec): Promise<Lane | undefined> {
    const lane = this.#lane();
    if (lane !== undefined) return lane;
    this.#creation ??= this.#create(configId).finally(() => {
      this.#creation = undefined;
    });
    return this.#creation;
  }

  /** Makes a lane from the config in D1. The caller's spec is not used, because a late call must not bring back a config that is gone. */
  async #create(configId: string): Promise<Lane | undefined> {
    const configs = ConfigStore.from(this.env);
    const spec = await this.#within(LaneSpecs.from(this.env).find(configId), "database");
    if (spec?.isDeleted === true) await this.#within(configs.forget(configId), "database");
    if (spec === undefined || spec.isDeleted) return undefined;
    const clock = { offsetMs: 0, lastMs: Date.now() };
    this.#store.create({ spec, breaker: CLOSED, clock, head: 1 });
    return this.#lane();
  }

  /** The lane, read from storage at the first call; undefined if the object has no config. */
  #lane(): Lane | undefined {
    if (this.#opened !== undefined || !hasSteps(this.#sql)) return this.#opened;
    const settings = webhookSettings.of(this.env);
    // No call is under way after an eviction.
    this.#endings.settle([], Date.now());
    this.#opened = new Lane({
      sql: this.#sql,
      store: this.#store,
      ports: openPorts(this.env, {
        setAlarm: (atMs) => this.#alarms.set("deliver", atMs),
        startDeadline: this.#startDeadline,
        reread: rereadLedgerEvents,
      }),
      policy: {
        retries: retryPolicyOf(settings),
        disableAfterMs: settings.FLORIN_WEBHOOK_DISABLE_AFTER,
      },
    });
    return this.#opened;
  }

  get #retention() {
    return retentionOf(webhookSettings.of(this.env));
  }

  /** Deliveries that failed before this time cannot be replayed, even if they are not purged yet; in milliseconds since the epoch. */
  get #replayableSinceMs(): number {
    return Date.now() - this.#retention.othersMs;
  }

  #reads(): LaneReads | undefined {
    const lane = this.#lane();
    return lane === undefined ? undefined : new LaneReads(this.#sql, lane.view);
  }
}

const NOT_FOUND = { ok: false, failure: toFailure(unknownDelivery()) } as const;
const CONFLICT = { ok: false, failure: toFailure(notReplayable()) } as const;
