import { LaneClock } from "./lane-clock.ts";
import type { LaneParts, LanePolicy, LanePorts, SendCall } from "./lane-ports.ts";
import type { LaneView } from "./lane-reads.ts";
import type { DueDelivery, LaneStore } from "./lane-store.ts";
import { LaneTimer } from "./lane-timer.ts";
import { toDeliveryResult } from "./made-call.ts";
import { type Ready, ReadyQueue } from "./ready-queue.ts";
import type { DeliveryResult } from "./settle-deliveries.ts";
import type { CallResult } from "#modules/webhooks/calls/call.ts";
import {
  afterFailure,
  type BreakerState,
  callsAllowed,
  CLOSED,
} from "#modules/webhooks/core/breaker.ts";
import { toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import type { EventBatch, LaneSpec } from "#modules/webhooks/core/lane.ts";
import { Pace } from "#modules/webhooks/core/pace.ts";
import { classify, isRefusalOfMessage, RETRY_AFTER_MS_MAX } from "#modules/webhooks/core/retry.ts";
import { logError } from "#platform/log.ts";
import { SECRET_MASK } from "#platform/secrets/url-secrets.ts";
import type { Sql } from "#platform/sql/sql.ts";
import { doubling, waitAfterFailures } from "#platform/work/backoff.ts";

/** How long a lane rests after its own storage has failed. */
const TROUBLE_BACKOFF = doubling(2000, 60_000);
/** Results of calls are stored together after this time, in milliseconds, or when there are so many, because a commit costs more than a call. */
const GATHER_MS = 50;
const GATHERED_MAX = 128;
/** Length of the bodies of calls under way, in characters, from which no further call begins. An object has little memory. */
const UNDER_WAY_LENGTH_MAX = 16_000_000;
/** Number of results that wait to be stored, from which no further call begins. */
const UNSTORED_MAX = 256;
/** Number of deliveries that were not chosen yet, from which bodies of new events are not kept in memory. */
const BACKLOG = 500;
/** How far the stored head may be behind. After a crash, a lane looks through as many deliveries again. */
const HEAD_STEP = 2000;

/**
 * The deliveries of one endpoint: which are pending, which calls are under way, and when the next one is due. Lanes share
 * nothing, so that no endpoint can hold up another one.
 *
 * An event is stored before its sender learns that it is accepted. That a call is under way is not stored. So a crash repeats the
 * calls that were under way and loses nothing. An alarm is set as long as anything is pending.
 */
export class Lane {
  readonly #sql: Sql;
  readonly #store: LaneStore;
  readonly #ports: LanePorts;
  readonly #policy: LanePolicy;
  readonly #clock: LaneClock;
  readonly #queue: ReadyQueue;
  #spec: LaneSpec;
  #breaker: BreakerState;
  #storedHead: number;
  /** Calls the endpoint by the current revision of the config; undefined until the revision was read from D1. */
  #send: SendCall | undefined;
  #isOpening = false;
  /** Start of each call that is under way, or whose result is not stored yet, in milliseconds since the epoch, by the number of its delivery. */
  readonly #underWay = new Map<number, number>();
  /** Length of the bodies of calls that are under way, in characters. */
  #underWayLength = 0;
  #results: DeliveryResult[] = [];
  /** Number of the latest plan to store results. Timers of earlier plans do nothing: the runtime keeps cleared timers in memory. */
  #flushPlans = 0;
  #isFlushPlanned = false;
  #isDisabling = false;
  #isBreakerStored = true;
  #pace = new Pace();
  /** How often in a row the lane's own work has failed, and until when the lane rests, by its clock. */
  #troubles = 0;
  #restUntilMs = 0;
  readonly #timer: LaneTimer;

  constructor({ sql, store, ports, policy }: LaneParts) {
    const state = store.readState();
    if (state === undefined) throw new Error("a lane needs a config");
    this.#sql = sql;
    this.#store = store;
    this.#ports = ports;
    this.#policy = policy;
    this.#clock = new LaneClock(ports.wallMs, state.clock);
    this.#timer = new LaneTimer(this.#clock, ports, () => this.run());
    this.#spec = state.spec;
    this.#breaker = state.breaker;
    this.#storedHead = state.head;
    store.clampDue(this.#clock.nowMs() + this.#longestWaitMs);
    this.#queue = new ReadyQueue(store, state.head, {
      readBodies: ports.readBodies,
      laneMs: () => this.#clock.nowMs(),
      drop: (deliveries) => this.#drop(deliveries),
      onReady: () => this.run(),
    });
  }

  get spec(): LaneSpec {
    return this.#spec;
  }

  /** The part of the lane's state that its readers need. */
  get view(): LaneView {
    return {
      configId: this.#spec.configId,
      underWay: this.#underWay,
      toWallMs: (laneMs) => this.#clock.toWallMs(laneMs),
      nowMs: this.#ports.wallMs(),
      head: this.#storedHead,
    };
  }

  get #longestWaitMs(): number {
    return Math.max(this.#policy.retries.backoff.mostMs, RETRY_AFTER_MS_MAX);
  }

  get laneMs(): number {
    return this.#clock.nowMs();
  }

  /** Adopts a new revision of the config. */
  adopt(spec: LaneSpec): void {
    this.#store.writeSpec(spec);
    // A lane sees masks in place of the secrets in a URL, so any of these secrets may be new.
    const mayHaveMoved = spec.endpoint.includes(SECRET_MASK);
    const isMoved = mayHaveMoved || spec.endpoint !== this.#spec.endpoint;
    const isSwitched = spec.active !== this.#spec.active;
    this.#spec = spec;
    this.#send = undefined;
    // The state of the breaker is about another endpoint, or about a time before somebody intervened.
    if (isMoved || isSwitched) this.#setBreaker(CLOSED);
    if (isMoved) this.#pace = new Pace();
    if (isSwitched) this.#queue.clear();
    this.run();
  }

  /** Stores events as pending. Returns whether the next events should come with their bodies. */
  accept(batch: EventBatch): boolean {
    const { active } = this.#spec;
    if (!active) return false;
    const inserted = this.#transaction(() =>
      this.#store.insert(batch, { afterSeq: this.#queue.lastSeq, nowMs: this.#ports.wallMs() }),
    );
    const isIdle = this.#isKeepingUp();
    for (const [{ body }, seq] of inserted.events) this.#queue.add(seq, isIdle ? body : undefined);
    this.#queue.add(inserted.lastSeq, undefined);
    this.run();
    return this.#isKeepingUp();
  }

  /** Begins the calls that may begin now, and sets the next wake-up. Called after every change, alarm and timer. */
  run(): void {
    if (this.#spec.active) {
      try {
        this.#sendReady();
      } catch (error) {
        this.#rest(error, "the deliveries of an endpoint could not be read");
      }
    }
    this.#plan();
  }

  #sendReady(): void {
    if (!this.#mayChoose()) return;
    if (this.#queue.isLow) this.#queue.refill([...this.#underWay.keys()], this.#places);
    if (this.#send !== undefined) this.#sendChosen(this.#send);
    else if (this.#queue.chosen.length > 0) void this.#open();
  }

  #sendChosen(send: SendCall): void {
    while (this.#queue.hasReady && this.#maySend()) {
      const next = this.#queue.shift();
      if (next !== undefined) void this.#call(next, send);
    }
  }

  /** Most deliveries that are chosen at once: one, the probe, while the breaker is open; undefined for no limit. */
  get #places(): number | undefined {
    return this.#breaker.openUntilMs === undefined ? undefined : 1;
  }

  /** Goes on after an alarm. */
  wake(): void {
    this.#timer.hasRung();
    this.run();
  }

  #isKeepingUp(): boolean {
    return this.#breaker.openUntilMs === undefined && this.#queue.backlog < BACKLOG;
  }

  /** Whether deliveries may be chosen. Further ones are made ready while all calls are taken, but not while the breaker is open. */
  #mayChoose(): boolean {
    if (this.#places !== undefined) return this.#maySend();
    return this.#clock.nowMs() >= this.#restUntilMs;
  }

  #maySend(): boolean {
    const laneMs = this.#clock.nowMs();
    if (laneMs < this.#restUntilMs) return false;
    if (this.#results.length >= UNSTORED_MAX) return false;
    if (this.#underWayLength >= UNDER_WAY_LENGTH_MAX) return false;
    const calls = this.#underWay.size - this.#results.length;
    return calls < callsAllowed(this.#breaker, laneMs, this.#pace.callsMax);
  }

  /** Reads from D1 how the endpoint is called. */
  async #open(): Promise<void> {
    if (this.#isOpening) return;
    this.#isOpening = true;
    const spec = this.#spec;
    try {
      const send = await this.#ports.open(spec);
      if (this.#spec === spec) this.#send = send;
    } catch (error) {
      this.#rest(error, "a webhook config could not be read");
    }
    this.#isOpening = false;
    this.run();
  }

  async #call({ delivery, body }: Ready, send: SendCall): Promise<void> {
    const { seq, idempotencyKey, attempts, waitedMs } = delivery;
    const { maxAttempts } = this.#policy.retries;
    const startedMs = this.#ports.wallMs();
    this.#underWay.set(seq, startedMs);
    if (attempts > 0 && maxAttempts > 0 && attempts >= maxAttempts) {
      this.#finish({ seq, status: "failed", waitedMs, error: "max attempts reached" });
      return;
    }
    const { configId, endpoint } = this.#spec;
    const call = { deliveryId: toDeliveryId(configId, seq), body, idempotencyKey };
    this.#underWayLength += body.length;
    const result = await send(call);
    this.#underWayLength -= body.length;
    this.#conclude(delivery, { result, startedMs, endpoint });
  }

  #conclude(
    delivery: DueDelivery,
    { result, startedMs, endpoint }: { result: CallResult; startedMs: number; endpoint: string },
  ): void {
    const laneMs = this.#clock.nowMs();
    this.#learn(result.statusCode, { laneMs, tookMs: result.durationMs, endpoint });
    const call = { result, startedMs, endpoint, laneMs };
    this.#finish(toDeliveryResult(delivery, call, this.#policy.retries));
    // The call's place is free at once. All other work waits until the result is stored.
    if (this.#spec.active && this.#send !== undefined) this.#sendChosen(this.#send);
  }

  #learn(
    statusCode: number,
    { laneMs, tookMs, endpoint }: { laneMs: number; tookMs: number; endpoint: string },
  ): void {
    const hasSucceeded = classify(statusCode) === "succeeded";
    if (endpoint !== this.#spec.endpoint) return;
    this.#pace.learn(tookMs, hasSucceeded);
    if (hasSucceeded) {
      this.#setBreaker(CLOSED);
      return;
    }
    const wasOpen = this.#breaker.openUntilMs !== undefined;
    const failed = {
      nowMs: laneMs,
      startedMs: laneMs - tookMs,
      isRefusalOfMessage: isRefusalOfMessage(statusCode),
    };
    this.#setBreaker(afterFailure(this.#breaker, failed));
    if (!wasOpen && this.#breaker.openUntilMs !== undefined) this.#queue.clear();
    if (this.#breaker.failingMs >= this.#policy.disableAfterMs) void this.#disable();
  }

  #setBreaker(state: BreakerState): void {
    if (state === CLOSED && this.#breaker === CLOSED) return;
    this.#breaker = state;
    this.#isBreakerStored = false;
  }

  async #disable(): Promise<void> {
    if (this.#isDisabling) return;
    this.#isDisabling = true;
    try {
      await this.#ports.disable(this.#spec);
    } catch (error) {
      logError(
        "a webhook config could not be deactivated; it is tried after the next failure",
        error,
        {
          config: this.#spec.configId,
        },
      );
    } finally {
      this.#isDisabling = false;
    }
  }

  #drop(deliveries: readonly DueDelivery[]): void {
    for (const { seq, waitedMs } of deliveries) {
      this.#underWay.set(seq, this.#ports.wallMs());
      this.#finish({ seq, status: "failed", waitedMs, error: GONE });
    }
  }

  #finish(result: DeliveryResult): void {
    this.#results.push(result);
    if (this.#results.length === GATHERED_MAX) this.#flushAfter(0);
    else if (!this.#isFlushPlanned) this.#flushAfter(GATHER_MS);
  }

  #flushAfter(waitMs: number): void {
    const plan = ++this.#flushPlans;
    this.#isFlushPlanned = true;
    setTimeout(() => {
      if (plan === this.#flushPlans) this.#flush();
    }, waitMs);
  }

  /** Stores the gathered results. If they cannot be stored now, they are kept and tried again: their calls were made and must not be repeated. */
  #flush(): void {
    const results = this.#results;
    try {
      this.#transaction(() => this.#settle(results));
    } catch (error) {
      this.#rest(error, "results of deliveries could not be stored; it is tried again");
      this.#flushAfter(this.#restUntilMs - this.#clock.nowMs());
      return;
    }
    this.#isFlushPlanned = false;
    this.#troubles = 0;
    this.#results = [];
    this.#queue.forget(results.map(({ seq }) => seq));
    for (const { seq } of results) this.#underWay.delete(seq);
    this.run();
  }

  #settle(results: readonly DeliveryResult[]): void {
    // Only successes count while the config is inactive.
    const final = this.#spec.active
      ? results
      : results.map((result) =>
          result.status === "succeeded"
            ? result
            : { ...result, status: this.endStatus, dueMs: undefined },
        );
    this.#store.settle(final, this.#ports.wallMs());
    const head = this.#queue.headAfter(new Set(results.map(({ seq }) => seq)));
    const isRetried = final.some(({ status }) => status === "pending");
    if (isRetried || !this.#isBreakerStored || head - this.#storedHead >= HEAD_STEP) {
      this.#store.writeProgress({ breaker: this.#breaker, clock: this.#clock.state, head });
      this.#storedHead = head;
      this.#isBreakerStored = true;
    }
  }

  /** The status with which pending deliveries of an inactive config end. */
  get endStatus(): "failed" | "cancelled" {
    return this.#spec.hasFailed ? "failed" : "cancelled";
  }

  #rest(error: unknown, message: string): void {
    logError(message, error, { config: this.#spec.configId });
    this.#restUntilMs = this.#clock.nowMs() + waitAfterFailures(TROUBLE_BACKOFF, ++this.#troubles);
  }

  #transaction<T>(work: () => T): T {
    try {
      return this.#sql.transaction(work);
    } catch (error) {
      this.#store.forget();
      throw error;
    }
  }

  /** Sets the timer and the alarm of the lane. */
  #plan(): void {
    const isBusy = this.#underWay.size > 0 || this.#queue.chosen.length > 0;
    if (this.#spec.active) this.#timer.set(this.#nextMs(), isBusy);
    else if (isBusy) this.#timer.set(undefined, true);
    else this.#timer.stop();
  }

  /** When work begins that no running call or read starts, by the lane's clock; undefined for never. */
  #nextMs(): number | undefined {
    const laneMs = this.#clock.nowMs();
    const gateMs = Math.max(this.#breaker.openUntilMs ?? 0, this.#restUntilMs);
    const dueMs = this.#store.earliestDueMs(0);
    const isDue = this.#queue.backlog > 0 || this.#queue.hasReady || (dueMs ?? Infinity) <= laneMs;
    const laterMs =
      dueMs === undefined || dueMs > laneMs ? dueMs : this.#store.earliestDueMs(laneMs + 1);
    const times = [
      isDue && gateMs > laneMs ? gateMs : Infinity,
      this.#queue.asideUntilMs ?? Infinity,
      laterMs === undefined ? Infinity : Math.max(laterMs, gateMs),
    ];
    const nextMs = Math.min(...times);
    return nextMs === Infinity ? undefined : nextMs;
  }
}

const GONE = "the event is gone: its ledger was deleted";
