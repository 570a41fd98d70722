import { vi } from "vitest";
import type { CallResult } from "#modules/webhooks/calls/call.ts";
import { CLOSED } from "#modules/webhooks/core/breaker.ts";
import type {
  DeliveryQuery,
  DeliveryRecord,
  LaneSpec,
  EventBatch,
  EventOrigin,
} from "#modules/webhooks/core/lane.ts";
import { LaneChanges } from "#modules/webhooks/lane/lane-changes.ts";
import type { LaneCall, LanePolicy } from "#modules/webhooks/lane/lane-ports.ts";
import { LaneReads } from "#modules/webhooks/lane/lane-reads.ts";
import { LaneStore } from "#modules/webhooks/lane/lane-store.ts";
import { Lane } from "#modules/webhooks/lane/lane.ts";
import { NodeSql } from "#platform/sql/node-sql.ts";
import { doubling } from "#platform/work/backoff.ts";

export const CONFIG_ID = "4997257d-dfb6-445b-929c-cbe2ab182818";
export const LEDGER: EventOrigin = { source: "ledger", ledger: "shop", uuid: "u1" };
export const START_MS = Date.parse("2026-03-01T12:00:00Z");
const SECOND = 1000;

export const SPEC: LaneSpec = {
  configId: CONFIG_ID,
  revision: 1,
  endpoint: "https://hooks.example.com/in",
  active: true,
  endedRevision: 0,
  hasFailed: false,
  isDeleted: false,
};

/** The answer of an endpoint: a status, or no answer for a number below 0. */
type Answer = number | Promise<number>;

/** A call that the endpoint received. */
export interface SeenCall extends LaneCall {
  readonly atMs: number;
}

/** A lane on SQLite whose time and endpoint the test controls. */
export class LaneBench {
  readonly sql = new NodeSql();
  readonly calls: SeenCall[] = [];
  readonly disabled: LaneSpec[] = [];
  alarmMs: number | undefined;
  /** Milliseconds by which the clock of the machine is off. */
  skewMs = 0;
  answer: (call: LaneCall) => Answer = () => 200;
  /** The bodies of events in their order. Bodies that are missing at the end were not read. */
  bodies: (positions: readonly (number | string)[]) => (string | undefined)[] = (positions) =>
    positions.map((position) => `body ${position}`);
  isOpenable = true;
  lane: Lane;
  #lives = 0;
  readonly #policy: LanePolicy;

  constructor(policy: Partial<LanePolicy> = {}) {
    this.#policy = {
      retries: {
        backoff: doubling(SECOND, 60 * SECOND),
        abortAfterMs: 3 * SECOND,
        maxAttempts: 15,
      },
      disableAfterMs: 120 * 3_600_000,
      ...policy,
    };
    const clock = { offsetMs: 0, lastMs: this.wallMs };
    new LaneStore(this.sql).create({ spec: SPEC, breaker: CLOSED, clock, head: 1 });
    this.lane = this.restart();
  }

  get wallMs(): number {
    return Date.now() + this.skewMs;
  }

  /** Opens a new lane on the stored state, as after a crash. The old lane hangs from now on. */
  restart(): Lane {
    const life = ++this.#lives;
    const whileAlive = async <T>(work: () => T): Promise<T> =>
      life === this.#lives ? work() : new Promise<T>(() => undefined);
    this.lane = new Lane({
      sql: this.sql,
      store: new LaneStore(this.sql),
      ports: {
        wallMs: () => this.wallMs,
        open: async () => {
          if (!this.isOpenable) throw new Error("D1 is down");
          return (call) => whileAlive(() => call).then((made) => this.#call(made, life));
        },
        readBodies: async (_origin, positions) => {
          const bodies = await whileAlive(() => this.bodies(positions));
          return new Map(bodies.map((body, index) => [positions[index] ?? "", body]));
        },
        setAlarm: (atMs) => {
          this.alarmMs = atMs;
        },
        disable: async (spec) => {
          this.disabled.push(spec);
        },
      },
      policy: this.#policy,
    });
    return this.lane;
  }

  /** Accepts entries of a log, all of which the endpoint wants. */
  accept(first: number, last = first, fields: Partial<EventBatch> = {}): boolean {
    const positions = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    return this.lane.accept({
      origin: LEDGER,
      range: { first, last },
      events: positions.map((position) => ({
        position,
        eventType: "ledger.committed_transactions",
        idempotencyKey: "",
      })),
      ...fields,
    });
  }

  async pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms);
  }

  get reads(): LaneReads {
    return new LaneReads(this.sql, this.lane.view);
  }

  get changes(): LaneChanges {
    return new LaneChanges(this.sql);
  }

  list(query: Partial<DeliveryQuery> = {}): DeliveryRecord[] {
    return this.reads.list({ order: "asc", limit: 10_000, ...query });
  }

  statuses(): string[] {
    return this.list().map(({ status }) => status);
  }

  /** The times of the calls, in seconds after the start. */
  times(): number[] {
    return this.calls.map(({ atMs }) => (atMs - START_MS) / SECOND);
  }

  async #call(call: LaneCall, life: number): Promise<CallResult> {
    const startedMs = Date.now();
    this.calls.push({ ...call, atMs: startedMs });
    const statusCode = await this.answer(call);
    if (life !== this.#lives) return new Promise(() => undefined);
    return {
      statusCode: Math.max(statusCode, 0),
      ...(statusCode < 0 ? { error: "connection refused" } : {}),
      ...(statusCode === 200 ? {} : { responseExcerpt: `answer ${statusCode}` }),
      durationMs: Date.now() - startedMs,
    };
  }
}
