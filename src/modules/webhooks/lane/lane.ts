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

/** When a lane goes on whose own storage has failed. */
const TROUBLE_BACKOFF = doubling(2000, 60_000);
/** Calls that end within this time are stored together, in milliseconds, or so many of them: a commit costs more than a call. */
const GATHER_MS = 50;
const GATHERED_MAX = 128;
/** While calls with so many characters of bodies are under way, no further one is made: an object has little memory. */
const UNDER_WAY_LENGTH_MAX = 16_000_000;
/** While so many results wait to be stored, no call is made. */
const UNSTORED_MAX = 256;
/** So many undelivered events are a backlog: the bodies of further ones are not kept in memory. */
const BACKLOG = 500;
/** How many numbers the stored head may be behind: a crash looks through so many deliveries again. */
const HEAD_STEP = 2000;

/**
 * The deliveries of one endpoint: what is owed, which calls are under way, and when the next one is. It shares nothing with
 * other lanes, so that no endpoint can hold up another one.
 *
 * What is owed is stored before the sender learns that it is accepted; that a call is under way is not stored. So a crash
 * repeats the calls that were under way, and loses nothing. An alarm is stored as long as anything is owed.
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
  /** What calls the endpoint of this revision of the config, once it is known. */
  #send: SendCall | undefined;
  #isOpening = false;
  /** When each call that is under way began, in milliseconds since the epoch, by the number of its delivery. */
  readonly #underWay = new Map<number, number>();
  /** Characters of the bodies of calls that are under way. */
  #underWayLength = 0;
  #results: DeliveryResult[] = [];
  /** Counts the plans to store results. A timer of an earlier one does nothing; none is cleared, as the runtime keeps such timers. */
  #flushPlans = 0;
  #isFlushPlanned = false;
  #isDisabling = false;
  #isBreakerStored = true;
  #pace = new Pace();
  /** How often in a row the lane's own work has failed, and until when it rests, by the lane's clock. */
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

  /** What readers must know of the running lane. */
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

  /** A config that was changed. */
  adopt(spec: LaneSpec): void {
    this.#store.writeSpec(spec);
    // A lane sees masks in place of the secrets in a URL, one of which may be new.
    const mayHaveMoved = spec.endpoint.includes(SECRET_MASK);
    const isMoved = mayHaveMoved || spec.endpoint !== this.#spec.endpoint;
    const isSwitched = spec.active !== this.#spec.active;
    this.#spec = spec;
    this.#send = undefined;
    // What was learnt of another endpoint, or before somebody stepped in, does not count.
    if (isMoved || isSwitched) this.#setBreaker(CLOSED);
    if (isMoved) this.#pace = new Pace();
    if (isSwitched) this.#queue.clear();
    this.run();
  }

  /** Stores events that are owed from now on. Returns whether further ones should come with their bodies. */
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

  /** Deliveries became due or ready, or an alarm or a timer rang. */
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

  /** An endpoint that is down is asked by one call. */
  get #places(): number | undefined {
    return this.#breaker.openUntilMs === undefined ? undefined : 1;
  }

  /** The alarm rang. */
  wake(): void {
    this.#timer.hasRung();
    this.run();
  }

  #isKeepingUp(): boolean {
    return this.#breaker.openUntilMs === undefined && this.#queue.backlog < BACKLOG;
  }

  /** The next ones are made ready while all places are taken, but not for an endpoint that is down. */
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

  /** Learns how the endpoint is called, where that is not known. */
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
    // The place is free at once; what else there is to do waits until the result is stored.
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

  /** Stores results. Those that cannot be stored now are kept: the calls were made, and are not made again. */
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
    // Only a success counts once the config is inactive.
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

  /** What becomes of pending deliveries of an inactive config. */
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

  /** Sets when the lane goes on. */
  #plan(): void {
    const isBusy = this.#underWay.size > 0 || this.#queue.chosen.length > 0;
    if (this.#spec.active) this.#timer.set(this.#nextMs(), isBusy);
    else if (isBusy) this.#timer.set(undefined, true);
    else this.#timer.stop();
  }

  /** When there is something to do that does not begin by itself, by the lane's clock; undefined for never. */
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
