import type { Counts } from "./counts.ts";
import { HeldTokens } from "./held-tokens.ts";
import type { ClientQuotaObject, Lease, LeaseRequest } from "./quota-object.ts";
import { type Quota, RATE_KINDS, type RateKind } from "#modules/auth/core/quota.ts";
import { TokenBucket } from "#modules/auth/core/token-bucket.ts";
import { logError } from "#platform/log.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";

/** How long an isolate waits for the object, in milliseconds. */
const TO_QUOTA: ObjectCall = { object: "quota of the client", isRepeatable: true, timeoutMs: 500 };
/** Time for which an isolate counts for itself after a call that failed, in milliseconds. */
const ALONE_MS = 5000;
/** Shortest time between two lines of the log about objects that do not answer, in milliseconds. */
const LOG_PAUSE_MS = 60_000;

/** The object of a client's quota. */
export type QuotaStub = DurableObjectStub<ClientQuotaObject>;

/** A client's quota in one isolate. */
export interface LeasedQuota {
  readonly quota: Quota;
  /** The client in the count of refusals. */
  readonly label: string;
  readonly object: () => QuotaStub;
}

/**
 * The tokens of one client in one isolate. A request that finds its tokens here makes no call; `ClientQuotaObject` draws how they come.
 *
 * If the object does not answer within half a second, or fails, the isolate counts for itself for five seconds, with buckets of its own that
 * begin with what one second gives: a client has its whole quota in each isolate meanwhile, and nobody is locked out.
 */
export class ClientLeases {
  readonly #client: LeasedQuota;
  readonly #held: ReadonlyMap<RateKind, HeldTokens>;
  /** Buckets for the time in which the object does not answer. */
  #alone:
    | { readonly buckets: ReadonlyMap<RateKind, TokenBucket>; readonly sinceMs: number }
    | undefined;
  #refused: Record<string, number> = {};

  constructor(client: LeasedQuota) {
    this.#client = client;
    this.#held = new Map(
      RATE_KINDS.flatMap((kind) => {
        const rate = client.quota[kind];
        return rate === undefined ? [] : [[kind, new HeldTokens(rate)]];
      }),
    );
  }

  get quota(): Quota {
    return this.#client.quota;
  }

  /** The tokens of a kind that are left as far as this isolate knows; undefined for a kind that is not limited. */
  leftOf(kind: RateKind): number | undefined {
    return this.#held.get(kind)?.left(Date.now());
  }

  /**
   * Takes tokens of several kinds, all or none. Gives how long to wait, in milliseconds, and 0 where they were taken; at once where no call of
   * the object is needed. A request that is not refusable waits then, and is not counted as a refusal.
   */
  take(counts: Counts, isRefusable: boolean): number | Promise<number> {
    const nowMs = Date.now();
    const wanted = this.#wanted(counts);
    if (this.#isAlone(nowMs)) return this.#takeAlone(wanted, { nowMs, isRefusable });
    if (wanted.every(([held, count]) => held.has(count, nowMs))) {
      for (const [held, count] of wanted) held.take(count);
      return 0;
    }
    const refusedMs = Math.max(0, ...wanted.map(([held, count]) => held.refusedMs(count, nowMs)));
    if (refusedMs === 0) return this.#lease(counts, isRefusable);
    for (const [held, count, kind] of wanted) {
      if (isRefusable && held.refusedMs(count, nowMs) > 0) this.#addRefusals(kind, 1);
    }
    return refusedMs;
  }

  /** Takes a place for a stream. Gives false where there is none. */
  async openStream(place: string): Promise<boolean> {
    const { quota, label, object } = this.#client;
    try {
      return await reachObject(object().openStream(place, { quota, label }), TO_QUOTA);
    } catch (error) {
      this.#countAlone(error, Date.now());
      return true;
    }
  }

  keepStream(place: string): Promise<void> {
    return this.#quietly(() => this.#client.object().keepStream(place));
  }

  closeStream(place: string): Promise<void> {
    return this.#quietly(() => this.#client.object().closeStream(place));
  }

  async #lease(counts: Counts, isRefusable: boolean): Promise<number> {
    const { object } = this.#client;
    const wanted = this.#wanted(counts);
    const askedMs = Date.now();
    const request = this.#requestFor(wanted, { isRefusable, nowMs: askedMs });
    let lease: Lease;
    try {
      lease = await reachObject(object().lease(request), TO_QUOTA);
    } catch (error) {
      const nowMs = Date.now();
      // The object may have counted them: a refusal is rather counted twice than lost.
      for (const [kind, count] of Object.entries(request.refused)) this.#addRefusals(kind, count);
      this.#countAlone(error, nowMs);
      return this.#takeAlone(wanted, { nowMs, isRefusable });
    }
    const nowMs = Date.now();
    for (const [held, , kind] of wanted) {
      const asked = { need: request.need[kind] ?? 0, more: request.more[kind] ?? 0 };
      held.add(lease.given[kind] ?? 0, { ...asked, left: lease.left[kind] ?? 0, askedMs, nowMs });
    }
    const waits = wanted.map(([held, count, kind]) => {
      const waitMs = lease.waitsMs[kind] ?? 0;
      if (waitMs > 0) held.noteRefused(count, waitMs, nowMs);
      return waitMs;
    });
    const waitMs = Math.max(0, ...waits);
    if (waitMs > 0) return waitMs;
    // Another request may have taken what this one held when it asked; then it asks again.
    if (!wanted.every(([held, count]) => held.has(count, nowMs)))
      return this.take(counts, isRefusable);
    for (const [held, count] of wanted) held.take(count);
    return 0;
  }

  #requestFor(
    wanted: readonly Wanted[],
    { isRefusable, nowMs }: { readonly isRefusable: boolean; readonly nowMs: number },
  ): LeaseRequest {
    const { quota, label } = this.#client;
    const asked = wanted.map(([held, count, kind]) => [kind, held.ask(count, nowMs)] as const);
    const refused = this.#refused;
    this.#refused = {};
    return {
      quota,
      label,
      need: Object.fromEntries(asked.map(([kind, { need }]) => [kind, need])),
      more: Object.fromEntries(asked.map(([kind, { more }]) => [kind, more])),
      unused: Object.fromEntries(asked.map(([kind, { unused }]) => [kind, unused])),
      isRefusable,
      refused,
    };
  }

  #wanted(counts: Counts): Wanted[] {
    return [...this.#held].flatMap(([kind, held]): Wanted[] => {
      const count = counts[kind] ?? 0;
      return count > 0 ? [[held, count, kind]] : [];
    });
  }

  #isAlone(nowMs: number): boolean {
    // The absolute value also covers a clock that was set back.
    return this.#alone !== undefined && Math.abs(nowMs - this.#alone.sinceMs) < ALONE_MS;
  }

  #takeAlone(
    wanted: readonly Wanted[],
    { nowMs, isRefusable }: { readonly nowMs: number; readonly isRefusable: boolean },
  ): number {
    const buckets = wanted.flatMap(([, count, kind]) => {
      const bucket = this.#alone?.buckets.get(kind);
      return bucket === undefined ? [] : [{ bucket, count, kind }];
    });
    const beyond = buckets.filter(({ bucket, count }) => bucket.waitMs(count, nowMs) > 0);
    if (isRefusable) for (const { kind } of beyond) this.#addRefusals(kind, 1);
    if (beyond.length > 0) {
      return Math.max(...beyond.map(({ bucket, count }) => bucket.waitMs(count, nowMs)));
    }
    for (const { bucket, count } of buckets) bucket.take(count);
    return 0;
  }

  #countAlone(error: unknown, nowMs: number): void {
    logUnanswered(error, nowMs);
    if (this.#isAlone(nowMs)) return;
    const buckets = RATE_KINDS.flatMap((kind): [RateKind, TokenBucket][] => {
      const rate = this.quota[kind];
      if (rate === undefined) return [];
      // A further failure goes on with the buckets of the one before, so that an object which never answers gives no further burst.
      const known = this.#alone?.buckets.get(kind);
      return [[kind, known ?? new TokenBucket(rate, { tokens: rate.perSecond, atMs: nowMs })]];
    });
    this.#alone = { buckets: new Map(buckets), sinceMs: nowMs };
  }

  #addRefusals(kind: string, count: number): void {
    this.#refused[kind] = (this.#refused[kind] ?? 0) + count;
  }

  async #quietly(call: () => Promise<void>): Promise<void> {
    try {
      await reachObject(call(), TO_QUOTA);
    } catch (error) {
      logUnanswered(error, Date.now());
    }
  }
}

/** The tokens of a kind that a request wants. */
type Wanted = readonly [held: HeldTokens, count: number, kind: RateKind];

let loggedMs = Number.NEGATIVE_INFINITY;

function logUnanswered(error: unknown, nowMs: number): void {
  if (Math.abs(nowMs - loggedMs) < LOG_PAUSE_MS) return;
  loggedMs = nowMs;
  logError("a quota's object does not answer; the isolate counts for itself meanwhile", error);
}
