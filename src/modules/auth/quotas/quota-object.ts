import { DurableObject } from "cloudflare:workers";
import type { Counts, Refusals } from "./counts.ts";
import { addRefusals } from "./refusals.ts";
import { type Quota, RATE_KINDS, type RateKind } from "#modules/auth/core/quota.ts";
import { type BucketLevel, TokenBucket } from "#modules/auth/core/token-bucket.ts";
import { logError } from "#platform/log.ts";
import { setAlarm } from "#platform/objects/set-alarm.ts";
import { isPutOff } from "#platform/upgrade/put-off.ts";

/** What an isolate asks of the object of a client. */
export interface LeaseRequest {
  readonly quota: Quota;
  /** The client in the count of refusals. */
  readonly label: string;
  /** The tokens that a request needs, all or none. */
  readonly need: Counts;
  /** More tokens that the isolate would use soon. It gets them as far as half of what is left goes. */
  readonly more: Counts;
  /** Unused tokens of earlier leases. */
  readonly unused: Counts;
  /** Whether a request is refused if it does not get what it needs; otherwise it waits, and is not counted as a refusal. */
  readonly isRefusable: boolean;
  /** Requests that the isolate has refused by itself. */
  readonly refused: Refusals;
}

export interface Lease {
  /** The tokens that were given: at least those that were needed, or none. */
  readonly given: Counts;
  /** The tokens that are left for all isolates. */
  readonly left: Counts;
  /** How long to wait for what was needed and not given, in milliseconds; empty if all of it was given. */
  readonly waitsMs: Counts;
}

/** What is left of a quota. */
export interface QuotaUsage {
  readonly left: Counts;
  readonly openStreams: number;
}

/** Storage keys: the levels of buckets, refusals that D1 does not have yet, and the time of each open stream's last sign of life. */
const LEVELS = "levels";
const REFUSED = "refused";
const STREAM = "stream:";

/** Time without a sign of life after which the place of a stream is free, in milliseconds: its isolate is gone. */
export const STREAM_MS_MAX = 180_000;
/** Pause between two alarms, in milliseconds. */
const ALARM_MS = 30_000;

/** The stored levels, with what tells the alarm when all of them are full. */
interface Stored {
  readonly quota: Quota;
  readonly label: string;
  readonly levels: Readonly<Partial<Record<RateKind, BucketLevel>>>;
}

/**
 * The quota of one client, exact over all isolates, which take tokens in portions:
 *
 *     isolate A ── 1 request ── own tokens? ── yes ─────────────────────────────────────────► work
 *                                   │ no        lease(need 1, more 12)   ┌───────────────┐
 *                                   └──────────────────────────────────► │ token buckets │ ──► given 13, left 87
 *     isolate B ── 9 requests ─ … ─ lease(need 1, more 2, unused 4) ───► │ open streams  │
 *                                                                        └───────┬───────┘
 *                                         levels are stored before they are given│ alarm: refusals to D1;
 *                                         so that a restart fills no bucket      ▼ nothing is left of a client at rest
 *
 * A lost lease, of an isolate that died, costs a portion of what half a second gives, which the bucket fills again.
 */
export class ClientQuotaObject extends DurableObject<Env> {
  #isAlarmSet = false;

  /** Gives an isolate tokens, those that it needs or none. */
  async lease(request: LeaseRequest): Promise<Lease> {
    const nowMs = Date.now();
    const { quota, label, need } = request;
    const buckets = this.#bucketsOf(quota, nowMs);
    for (const [kind, bucket] of buckets) bucket.giveBack(request.unused[kind] ?? 0);
    const waitsMs = waitsOf(buckets, need, nowMs);
    const refusedKinds = Object.keys(waitsMs);
    const given: Partial<Record<RateKind, number>> = {};
    for (const [kind, bucket] of refusedKinds.length > 0 ? [] : buckets) {
      const needed = need[kind] ?? 0;
      bucket.take(needed);
      const more = Math.min(request.more[kind] ?? 0, Math.floor(bucket.left(nowMs) / 2));
      bucket.take(more);
      if (needed + more > 0) given[kind] = needed + more;
    }
    const left = leftOf(buckets, nowMs);
    this.#store({ quota, label, levels: levelsOf(buckets, nowMs) });
    this.#addRefusals(request.refused);
    if (request.isRefusable) {
      this.#addRefusals(Object.fromEntries(refusedKinds.map((kind) => [kind, 1])));
    }
    await this.#armAlarm();
    return { given, left, waitsMs };
  }

  /** Takes a place for a stream. Returns whether there was one. */
  async openStream(place: string, { quota, label }: Pick<LeaseRequest, "quota" | "label">) {
    const nowMs = Date.now();
    this.#store({ quota, label, levels: levelsOf(this.#bucketsOf(quota, nowMs), nowMs) });
    await this.#armAlarm();
    if (this.#liveStreams(nowMs).length >= (quota.streams ?? Infinity)) {
      this.#addRefusals({ streams: 1 });
      return false;
    }
    this.ctx.storage.kv.put(STREAM + place, nowMs);
    return true;
  }

  /** Notes that a stream is still open. A place that was lost, because its time had passed, is taken again. */
  async keepStream(place: string): Promise<void> {
    this.ctx.storage.kv.put(STREAM + place, Date.now());
    await this.#armAlarm();
  }

  async closeStream(place: string): Promise<void> {
    this.ctx.storage.kv.delete(STREAM + place);
  }

  async usage(quota: Quota): Promise<QuotaUsage> {
    const nowMs = Date.now();
    return {
      left: leftOf(this.#bucketsOf(quota, nowMs), nowMs),
      openStreams: this.#liveStreams(nowMs).length,
    };
  }

  /** Adds refusals to D1, frees the places of lost streams, and deletes everything once the client has been at rest. */
  override async alarm(): Promise<void> {
    if (await isPutOff(this.ctx.storage, this.env)) return;
    this.#isAlarmSet = false;
    const { kv } = this.ctx.storage;
    const nowMs = Date.now();
    await this.#flushRefusals();
    const live = new Set(this.#liveStreams(nowMs));
    for (const [key] of kv.list({ prefix: STREAM })) if (!live.has(key)) kv.delete(key);
    const stored = kv.get<Stored>(LEVELS);
    const isFull = [...this.#bucketsOf(stored?.quota ?? {}, nowMs).values()].every((bucket) =>
      bucket.isFull(nowMs),
    );
    if (isFull && live.size === 0 && kv.get(REFUSED) === undefined) kv.delete(LEVELS);
    else await this.#armAlarm();
  }

  /** The buckets of a quota: as they are stored, and full ones for what was not counted until now. */
  #bucketsOf(quota: Quota, nowMs: number): Map<RateKind, TokenBucket> {
    const levels = this.ctx.storage.kv.get<Stored>(LEVELS)?.levels ?? {};
    const buckets = new Map<RateKind, TokenBucket>();
    for (const kind of RATE_KINDS) {
      const rate = quota[kind];
      if (rate === undefined) continue;
      const level = levels[kind];
      buckets.set(
        kind,
        level === undefined ? TokenBucket.full(rate, nowMs) : new TokenBucket(rate, level),
      );
    }
    return buckets;
  }

  /** Stores levels. Those of kinds that the given ones lack stay: a request that began before a change has the quota of before. */
  #store(next: Stored): void {
    const { kv } = this.ctx.storage;
    const earlier = kv.get<Stored>(LEVELS)?.levels;
    kv.put(LEVELS, { ...next, levels: { ...earlier, ...next.levels } });
  }

  /** The keys of streams that have shown a sign of life. A time in the future was stored before the clock was set back. */
  #liveStreams(nowMs: number): string[] {
    return [...this.ctx.storage.kv.list<number>({ prefix: STREAM })]
      .filter(([, seenMs]) => Math.abs(nowMs - seenMs) < STREAM_MS_MAX)
      .map(([key]) => key);
  }

  #addRefusals(refused: Refusals): void {
    const entries = Object.entries(refused);
    if (entries.length === 0) return;
    const { kv } = this.ctx.storage;
    const known: Record<string, number> = kv.get(REFUSED) ?? {};
    for (const [kind, count] of entries) known[kind] = (known[kind] ?? 0) + count;
    kv.put(REFUSED, known);
  }

  /** Moves the refusals to D1. A crash after D1 has them counts them twice, and none is lost. */
  async #flushRefusals(): Promise<void> {
    const { kv } = this.ctx.storage;
    const refused = kv.get<Refusals>(REFUSED);
    const label = kv.get<Stored>(LEVELS)?.label;
    if (refused === undefined || label === undefined) return;
    try {
      await addRefusals(this.env, label, refused);
    } catch (error) {
      logError("the refusals of a quota could not be counted; they are counted later", error);
      return;
    }
    const rest = Object.entries(kv.get<Refusals>(REFUSED) ?? {}).flatMap(([kind, count]) => {
      const left = count - (refused[kind as RateKind] ?? 0); // keys of `Refusals`
      return left > 0 ? [[kind, left]] : [];
    });
    if (rest.length === 0) kv.delete(REFUSED);
    else kv.put(REFUSED, Object.fromEntries(rest));
  }

  async #armAlarm(): Promise<void> {
    if (this.#isAlarmSet) return;
    this.#isAlarmSet = true;
    // An alarm of the instance before stays: a client that comes back every twenty seconds would put it off for ever.
    const { storage } = this.ctx;
    if ((await storage.getAlarm()) === null) await setAlarm(storage, Date.now() + ALARM_MS);
  }
}

type Buckets = ReadonlyMap<RateKind, TokenBucket>;

const leftOf = (buckets: Buckets, nowMs: number): Counts =>
  Object.fromEntries([...buckets].map(([kind, bucket]) => [kind, bucket.left(nowMs)]));

const levelsOf = (buckets: Buckets, nowMs: number): Stored["levels"] =>
  Object.fromEntries([...buckets].map(([kind, bucket]) => [kind, bucket.level(nowMs)]));

const waitsOf = (buckets: Buckets, need: Counts, nowMs: number): Counts =>
  Object.fromEntries(
    [...buckets].flatMap(([kind, bucket]) => {
      const count = need[kind] ?? 0;
      const waitMs = count === 0 ? 0 : bucket.waitMs(count, nowMs);
      return waitMs > 0 ? [[kind, waitMs]] : [];
    }),
  );
