import { DurableObject } from "cloudflare:workers";
import { LaneChanges, type ReplayCounts } from "./lane-changes.ts";
import { LaneReads } from "./lane-reads.ts";
import { LaneStore } from "./lane-store.ts";
import { hasLaneTables } from "./lane-tables.ts";
import { Lane } from "./lane.ts";
import { openPorts } from "./ports.ts";
import { readAllBodies } from "./read-bodies.ts";
import type {
  AttemptPosition,
  AttemptRecord,
  DeliveryDetail,
  DeliveryQuery,
  DeliveryRecord,
  LaneSpec,
  EventBatch,
} from "./types.ts";
import { ConfigStore } from "#modules/webhooks/config-store.ts";
import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import { notReplayable, unknownDelivery } from "#modules/webhooks/failures.ts";
import { retryPolicyOf, webhookSettings } from "#modules/webhooks/settings.ts";
import { systemContext } from "#platform/context.ts";
import { Alarms } from "#platform/objects/alarms.ts";
import { asResult, type Result, toFailure } from "#platform/result.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** How many deliveries one turn ends or purges; other calls come between two turns. */
const SLICE = 500;
/** Most turns of such work after an alarm, and the wait until it goes on, in milliseconds. */
const SLICES_MAX = 40;
const PAUSE_MS = 1000;
/** How often old deliveries are looked for, in milliseconds. */
const PURGE_INTERVAL_MS = 24 * 3_600_000;

/**
 * One webhook config at work: its deliveries, its calls, its retries, and nobody else's. What it should do is in D1, and comes
 * by `configure`; what it owes and did is here.
 */
export class EndpointObject extends DurableObject<Env> {
  readonly #sql: Sql;
  readonly #store: LaneStore;
  readonly #changes: LaneChanges;
  readonly #alarms: Alarms<"deliver" | "end" | "purge">;
  #opened: Lane | undefined;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = durableSql(ctx.storage);
    this.#store = new LaneStore(this.#sql);
    this.#changes = new LaneChanges(this.#sql);
    this.#alarms = new Alarms(ctx.storage, {
      deliver: () => this.#lane()?.wake(),
      end: () => this.#endPending(),
      purge: () => this.#purge(),
    });
  }

  /** Takes over a config, unless a later revision of it came before. Ends what is pending where it is not active. */
  async configure(spec: LaneSpec): Promise<void> {
    const lane = this.#lane();
    if (lane === undefined) {
      if (spec.isDeleted) return;
      const nowMs = Date.now();
      const clock = { offsetMs: 0, lastMs: nowMs };
      this.#store.create({ spec, breaker: CLOSED, clock, head: 1 });
      return;
    }
    if (spec.revision < lane.spec.revision) return;
    lane.adopt(spec);
    if (!spec.active) await this.#endPending();
    if (spec.isDeleted) await this.#purge();
  }

  /** Stores events that are owed. Returns whether further ones should come with their bodies. */
  accept(batch: EventBatch): boolean {
    const lane = this.#lane();
    // A config that was just made is known here before its first event is sent; one that is deleted wants none.
    if (lane === undefined) throw new Error("the lane of a webhook config has no config yet");
    const wantsBodies = lane.accept(batch);
    if (!this.#alarms.isSet("purge")) this.#alarms.set("purge", Date.now() + PURGE_INTERVAL_MS);
    return wantsBodies;
  }

  list(query: DeliveryQuery): DeliveryRecord[] {
    return this.#reads()?.list(query) ?? [];
  }

  /** A delivery with its body, which is absent where its event is gone. */
  async find(seq: number): Promise<Result<DeliveryDetail>> {
    return asResult(this.#find(seq));
  }

  /** Newest first. */
  attempts(
    seq: number,
    page: { readonly limit: number; readonly after?: AttemptPosition | undefined },
  ): Result<AttemptRecord[]> {
    const reads = this.#reads();
    if (reads?.find(seq) === undefined) return NOT_FOUND;
    return { ok: true, value: reads.attempts(seq, page) };
  }

  /** Attempts a delivery again, at once. The same request answers the same again, and does nothing more. */
  async replay(seq: number, request: string): Promise<Result<DeliveryDetail>> {
    const lane = this.#lane();
    const found = this.#reads()?.find(seq);
    if (lane === undefined || found === undefined) return NOT_FOUND;
    const isNew = this.#changes.recall(request) === undefined;
    if (isNew) {
      const isPossible = found.status === "failed" || found.status === "pending";
      if (!isPossible || !lane.spec.active) return CONFLICT;
      this.#replayAll([seq], request, lane);
    }
    const answer = await asResult(this.#find(seq));
    if (isNew) lane.run();
    return answer;
  }

  /** Attempts deliveries again, at once. The same request answers the same again, and does nothing more. */
  replayMany(seqs: readonly number[], request: string): ReplayCounts {
    const known = this.#changes.recall(request);
    if (known !== undefined) return known;
    const lane = this.#lane();
    if (lane === undefined || !lane.spec.active) {
      return { replayed: 0, expedited: 0, skipped: seqs.length };
    }
    const { underWay } = lane.view;
    const free = seqs.filter((seq) => !underWay.has(seq));
    const counts = this.#replayAll(free, request, lane);
    lane.run();
    return { ...counts, skipped: counts.skipped + seqs.length - free.length };
  }

  override async alarm(): Promise<void> {
    await this.#alarms.ring();
  }

  async #find(seq: number): Promise<DeliveryDetail> {
    const reads = this.#reads();
    const [delivery, event] = [reads?.find(seq), reads?.originOf(seq)];
    if (delivery === undefined || event === undefined) throw unknownDelivery();
    const origin = this.#store.originOf(event.origin);
    const context = systemContext(this.env, "webhooks");
    const [body] = await readAllBodies(origin, [event.position], context);
    return { delivery, body };
  }

  #replayAll(seqs: readonly number[], request: string, lane: Lane): ReplayCounts {
    const wallMs = Date.now();
    return this.#sql.transaction(() => {
      const counts = this.#changes.replay(seqs, { laneMs: lane.laneMs, wallMs });
      this.#changes.remember(request, counts, wallMs);
      return counts;
    });
  }

  /** Ends what is pending, in turns: a lane may owe a million deliveries. */
  async #endPending(): Promise<void> {
    for (let slice = 0; slice < SLICES_MAX; slice++) {
      const lane = this.#lane();
      if (lane === undefined || lane.spec.active) return;
      const { underWay, head } = lane.view;
      const ended = this.#changes.endPending(lane.endStatus, {
        head,
        except: [...underWay.keys()],
        error: lane.spec.hasFailed
          ? "the webhook config was deactivated because its endpoint kept failing"
          : null,
        wallMs: Date.now(),
        limit: SLICE,
      });
      if (ended < SLICE) return;
      await scheduler.wait(0);
    }
    this.#alarms.set("end", Date.now() + PAUSE_MS);
  }

  /** Removes deliveries after their retention, and the object's storage once a deleted config has none left. */
  async #purge(): Promise<void> {
    const settings = webhookSettings.of(this.env);
    for (let slice = 0; slice < SLICES_MAX; slice++) {
      const lane = this.#lane();
      if (lane === undefined) return;
      const nowMs = Date.now();
      const removed = this.#changes.purge({
        succeededBeforeMs: nowMs - settings.FLORIN_WEBHOOK_RETENTION_SUCCEEDED,
        othersBeforeMs: nowMs - settings.FLORIN_WEBHOOK_RETENTION_FAILED,
        limit: SLICE,
      });
      if (removed === 0) return this.#endPurge(lane);
      await scheduler.wait(0);
    }
    this.#alarms.set("purge", Date.now() + PAUSE_MS);
  }

  async #endPurge({ spec }: Lane): Promise<void> {
    if (
      spec.isDeleted &&
      this.#changes.isOver(
        Date.now() - webhookSettings.of(this.env).FLORIN_WEBHOOK_RETENTION_FAILED,
      )
    ) {
      await ConfigStore.from(this.env).forget(spec.configId);
      this.#opened = undefined;
      this.#alarms.clear();
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    } else if (this.#store.lastSeq() > 0) {
      this.#alarms.set("purge", Date.now() + PURGE_INTERVAL_MS);
    }
  }

  /** Undefined before the config is known. */
  #lane(): Lane | undefined {
    if (this.#opened !== undefined || !hasLaneTables(this.#sql)) return this.#opened;
    const settings = webhookSettings.of(this.env);
    this.#opened = new Lane({
      sql: this.#sql,
      store: this.#store,
      ports: openPorts(this.env, (atMs) => this.#alarms.set("deliver", atMs)),
      policy: {
        retries: retryPolicyOf(settings),
        disableAfterMs: settings.FLORIN_WEBHOOK_DISABLE_AFTER,
      },
    });
    return this.#opened;
  }

  #reads(): LaneReads | undefined {
    const lane = this.#lane();
    return lane === undefined ? undefined : new LaneReads(this.#sql, lane.view);
  }
}

const NOT_FOUND = { ok: false, failure: toFailure(unknownDelivery()) } as const;
const CONFLICT = { ok: false, failure: toFailure(notReplayable()) } as const;
