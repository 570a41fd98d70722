import { toDeliveryResult } from "./completed-call.ts";
import type { DeliveryResult } from "./delivery-results.ts";
import { LaneClock } from "./lane-clock.ts";
import type { LaneParts, LanePolicy, LanePorts, SendCall } from "./lane-ports.ts";
import type { LaneView } from "./lane-reads.ts";
import type { DueDelivery, LaneStore } from "./lane-store.ts";
import { LaneTimer } from "./lane-timer.ts";
import { type ReadyDelivery, ReadyQueue } from "./ready-queue.ts";
import { ResultBuffer } from "./result-buffer.ts";
import { CALL_TIMEOUT_MS, type CallResult } from "#modules/webhooks/calls/call.ts";
import { toDeliveryId } from "#modules/webhooks/core/delivery-id.ts";
import { EndpointHealth } from "#modules/webhooks/core/endpoint-health.ts";
import { FailureBackoff } from "#modules/webhooks/core/failure-backoff.ts";
import { endingOf, type EventBatch, type LaneSpec } from "#modules/webhooks/core/lane.ts";
import { RETRY_AFTER_MS_MAX } from "#modules/webhooks/core/retry.ts";
import { type BegunCall, RunningCalls } from "#modules/webhooks/core/running-calls.ts";
import { log, logError } from "#platform/log.ts";
import { SECRET_MASK } from "#platform/secrets/url-secrets.ts";
import type { Sql } from "#platform/sql/sql.ts";

/** Length of the bodies of calls under way, in characters, from which no further call begins. An object has little memory. */
const UNDER_WAY_LENGTH_MAX = 16_000_000;
/** Number of results that wait to be stored, from which no further call begins. */
const UNSTORED_MAX = 256;
/** Number of deliveries that were not chosen yet, from which bodies of new events are not kept in memory. */
const BACKLOG = 500;
/** How long a call may run, in milliseconds. It is twice the time within which a call ends or meets its deadline. */
const CALL_LEASE_MS = 2 * CALL_TIMEOUT_MS;
/** How far the stored head may be behind. After a crash, a lane looks through as many deliveries again. */
const HEAD_STEP = 2000;

interface LaneRun extends BegunCall {
  readonly delivery: DueDelivery;
  readonly endpoint: string;
  /** When the call began, in milliseconds since the epoch. */
  readonly startedMs: number;
}

/**
 * The deliveries of one endpoint: which are pending, which calls are under way, and when the next one is due. Lanes share
 * nothing, so that no endpoint can hold up another one.
 *
 *     accept ──► pending ──► ReadyQueue: chosen, ──► gates ──► call is  ───► results: stored together
 *                (stored)    with its body                     under way     after 50 ms or 128 of them
 *                   ▲                                                            │            │
 *                   └──────────── pending again, due after a wait ◄──────────────┘            ▼
 *                                                                                    succeeded or failed
 *
 *     gates: rest after a fault of its own storage, results that are not stored, bodies in memory,
 *            circuit breaker (`core/breaker.ts`), pace of the endpoint (`core/adaptive-concurrency.ts`),
 *            a call that was held, because the deployment is disarmed: until the next alarm
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
  readonly #health: EndpointHealth;
  readonly #results: ResultBuffer;
  readonly #rest = new FailureBackoff();
  #storedHead: number;
  /** Calls the endpoint by the current revision of the config; undefined until the revision was read from D1. */
  #send: SendCall | undefined;
  #isOpening = false;
  /** Start of each call that is under way, or whose result is not stored yet, in milliseconds since the epoch, by the number of its delivery. */
  readonly #underWay = new Map<number, number>();
  readonly #calls = new RunningCalls<LaneRun>(CALL_LEASE_MS);
  #isDisabling = false;
  /** Whether a call was held back, because the deployment is disarmed. The next alarm or change asks again, and wakes the lane only if it is armed. */
  #isHeld = false;
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
    this.#health = new EndpointHealth(state.breaker);
    this.#results = new ResultBuffer({
      nowMs: () => this.#clock.nowMs(),
      store: (results) => this.#storeResults(results),
      onStored: (results) => this.#markStored(results),
    });
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
      isHeld: this.#isHeld,
      toWallMs: (laneMs) => this.#clock.toWallMs(laneMs),
      nowMs: this.#ports.wallMs(),
      head: this.#storedHead,
    };
  }

  /** Whether the circuit breaker of the endpoint is open. */
  get isDown(): boolean {
    return this.#health.isDown;
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
    if (isMoved || isSwitched) this.#health.close();
    if (isMoved) this.#health.forgetPace();
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
        this.#failed(error, "the deliveries of an endpoint could not be read");
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
    return this.#health.isDown ? 1 : undefined;
  }

  /** Resumes the lane after an alarm. */
  wake(): void {
    this.#timer.hasRung();
    this.#isHeld = false;
    this.#endOverdue();
    this.run();
  }

  /** Goes on where the runtime has lost a timer, or the end of a call. */
  #endOverdue(): void {
    const laneMs = this.#clock.nowMs();
    const { configId: config } = this.#spec;
    if (this.#results.storeOverdue(laneMs)) log("error", "call results stored late", { config });
    for (const run of this.#calls.giveUp(laneMs)) {
      const durationMs = laneMs - run.begunMs;
      const error = `the call has not ended within ${Math.round(durationMs / 1000)} s`;
      log("error", `${error}; it is given up`, { config });
      this.#conclude(run, { statusCode: 0, error, durationMs });
    }
  }

  #isKeepingUp(): boolean {
    return !this.#health.isDown && this.#queue.backlog < BACKLOG;
  }

  /** Whether deliveries may be chosen. Further ones are made ready while all calls are taken, but not while the breaker is open. */
  #mayChoose(): boolean {
    if (this.#isHeld) return false;
    if (this.#places !== undefined) return this.#maySend();
    return this.#clock.nowMs() >= this.#rest.untilMs;
  }

  #maySend(): boolean {
    const laneMs = this.#clock.nowMs();
    if (this.#isHeld || laneMs < this.#rest.untilMs) return false;
    if (this.#results.count >= UNSTORED_MAX) return false;
    if (this.#calls.length >= UNDER_WAY_LENGTH_MAX) return false;
    return this.#calls.count < this.#health.callsAllowed(laneMs);
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
      this.#failed(error, "a webhook config could not be read");
    }
    this.#isOpening = false;
    this.run();
  }

  async #call(ready: ReadyDelivery, send: SendCall): Promise<void> {
    const { delivery, body } = ready;
    const { seq, idempotencyKey, attempts, waitedMs, cause } = delivery;
    const { maxAttempts } = this.#policy.retries;
    const startedMs = this.#ports.wallMs();
    this.#underWay.set(seq, startedMs);
    if (attempts > 0 && maxAttempts > 0 && attempts >= maxAttempts) {
      this.#results.add({ seq, status: "failed", waitedMs, error: "max attempts reached" });
      return;
    }
    const { configId, endpoint } = this.#spec;
    const call = { deliveryId: toDeliveryId(configId, seq), body, idempotencyKey, cause };
    const begunMs = this.#clock.nowMs();
    const run: LaneRun = { delivery, endpoint, startedMs, begunMs, length: body.length };
    this.#calls.begin(run);
    const result = await send(call);
    if (!this.#calls.end(run)) return;
    if (result === "held") this.#hold(ready);
    else this.#conclude(run, result);
  }

  /** Gives back a delivery that was not sent, because the deployment is disarmed. It has had no attempt, and stays due. */
  #hold(ready: ReadyDelivery): void {
    this.#isHeld = true;
    this.#underWay.delete(ready.delivery.seq);
    this.#queue.putBack(ready);
    this.#queue.clear();
    this.#plan();
  }

  #conclude({ delivery, startedMs, endpoint }: LaneRun, result: CallResult): void {
    const laneMs = this.#clock.nowMs();
    if (endpoint === this.#spec.endpoint) this.#learn(result, laneMs);
    const call = { result, startedMs, endpoint, laneMs };
    this.#results.add(toDeliveryResult(delivery, call, this.#policy.retries));
    // The call's place is free at once. All other work waits until the result is stored.
    if (this.#spec.active && this.#send !== undefined) this.#sendChosen(this.#send);
  }

  #learn(result: CallResult, laneMs: number): void {
    const wasDown = this.#health.isDown;
    if (this.#health.learn(result, laneMs)) return;
    if (!wasDown && this.#health.isDown) this.#queue.clear();
    const { failingMs } = this.#health.breaker;
    if (failingMs >= this.#policy.disableAfterMs) void this.#disable();
  }

  async #disable(): Promise<void> {
    if (this.#isDisabling) return;
    this.#isDisabling = true;
    try {
      await this.#ports.disable(this.#spec);
    } catch (error) {
      logError("a webhook config could not be deactivated; the next failure tries again", error, {
        config: this.#spec.configId,
      });
    } finally {
      this.#isDisabling = false;
    }
  }

  #drop(deliveries: readonly DueDelivery[]): void {
    for (const { seq, waitedMs } of deliveries) {
      this.#underWay.set(seq, this.#ports.wallMs());
      this.#results.add({ seq, status: "failed", waitedMs, error: GONE });
    }
  }

  /** Returns after how many milliseconds to try again if the results cannot be stored now. */
  #storeResults(results: readonly DeliveryResult[]): number | undefined {
    try {
      this.#transaction(() => this.#settle(results));
    } catch (error) {
      this.#failed(error, "results of deliveries could not be stored; the write is repeated");
      return this.#rest.untilMs - this.#clock.nowMs();
    }
    this.#rest.succeed();
    return undefined;
  }

  #markStored(results: readonly DeliveryResult[]): void {
    this.#queue.markStored(results.map(({ seq }) => seq));
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
            : { ...result, status: endingOf(this.#spec).status, dueMs: undefined },
        );
    this.#store.settle(final, this.#ports.wallMs());
    const head = this.#queue.headAfter(new Set(results.map(({ seq }) => seq)));
    const isRetried = final.some(({ status }) => status === "pending");
    if (isRetried || !this.#health.isStored || head - this.#storedHead >= HEAD_STEP) {
      const { breaker } = this.#health;
      this.#store.writeProgress({ breaker, clock: this.#clock.state, head });
      this.#storedHead = head;
      this.#health.markStored();
    }
  }

  /** Logs a failure of the lane's own work, and lets the lane rest. */
  #failed(error: unknown, message: string): void {
    logError(message, error, { config: this.#spec.configId });
    this.#rest.begin(this.#clock.nowMs());
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
    // A lane that is held needs its alarm only. A timer would keep the object in memory.
    if (this.#spec.active && this.#isHeld) this.#timer.set(undefined, true);
    else if (this.#spec.active) this.#timer.set(this.#nextMs(), isBusy);
    else if (isBusy) this.#timer.set(undefined, true);
    else this.#timer.stop();
  }

  /** When work begins that no running call or read starts, by the lane's clock; undefined for never. */
  #nextMs(): number | undefined {
    const laneMs = this.#clock.nowMs();
    const gateMs = Math.max(this.#health.breaker.openUntilMs ?? 0, this.#rest.untilMs);
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

const GONE =
  "the event is gone: its ledger was deleted, or the backup from which the deployment was restored does not have it";
