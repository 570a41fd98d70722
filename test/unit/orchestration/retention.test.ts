import { describe, expect, test } from "vitest";
import { sweepEnded } from "#modules/orchestration/retention/sweep.ts";
import { type Match, storeOccurrences } from "#modules/orchestration/triggers/occurrences.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { fromMillis, toMillis } from "#platform/time.ts";
import { at } from "#test/support/ledger-engine/fixtures.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const NOW_MS = toMillis(at("12:00"));
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** A deployment with a retention of one hour. */
class World {
  readonly d1 = new NodeD1();
  nowMs = NOW_MS;

  constructor() {
    this.d1.migrate();
  }

  get context() {
    const clock = { getByName: () => ({ watch: async () => undefined }) };
    const env = { DB: this.d1.binding, CLOCK: clock, FLORIN_ORCHESTRATION_RETENTION: "1h" };
    return { env: env as unknown as Env, clock: () => fromMillis(this.nowMs) }; // the code under test uses only these members
  }

  /** Stores an instance that ended `age` milliseconds ago, or runs, with a row of each kind. Returns its key. */
  instance(id: string, age: number | undefined, moments = 1): number {
    const ended = age === undefined ? null : fromMillis(this.nowMs - age);
    this.d1.rows(
      `INSERT INTO orchestration_instances
       (id, workflow_key, variables, principal, created_at, updated_at, terminated_at, stage, run, round, change_id)
       VALUES (?, 1, '{}', '{}', '', '', ?, 1, 1, 1, '')`,
      id,
      ended,
    );
    const [row] = this.d1.rows("SELECT key FROM orchestration_instances WHERE id = ?", id);
    const key = Number(row?.["key"]);
    this.d1.exec(`
      INSERT INTO orchestration_stages (instance_key, number, started_at) VALUES (${key}, 0, '');
      INSERT INTO orchestration_activities
      (instance_key, stage, ordinal, name, input, attempt, next_execution, started_at) VALUES (${key}, 0, 0, '', '', 1, '', '');`);
    for (let count = 0; count < moments; count++) {
      this.d1.exec(
        `INSERT INTO orchestration_moments (instance_key, at, kind, data) VALUES (${key}, '', '', '')`,
      );
    }
    return key;
  }

  /** The rows that are left of each kind, by the keys of their instances. */
  left() {
    const keysOf = (table: string, column: string) =>
      this.d1
        .rows(`SELECT DISTINCT ${column} AS key FROM ${table} ORDER BY 1`)
        .map(({ key }) => key);
    return [
      keysOf("orchestration_instances", "key"),
      keysOf("orchestration_stages", "instance_key"),
      keysOf("orchestration_activities", "instance_key"),
      keysOf("orchestration_moments", "instance_key"),
    ];
  }

  /** Lets a trigger fire for an event; returns whether it fires for the first time. */
  async fire(event: Pick<PlatformEvent, "id" | "type" | "payload">): Promise<boolean> {
    const whole = { app: "test", version: "v2", date: at("12:00"), idempotencyKey: "", ...event };
    const match = { trigger: { key: 1 }, event: whole, verdict: "fires" } as unknown as Match; // the members that are stored
    return (await storeOccurrences(this.context, [match])).length > 0;
  }

  /** Ends all occurrences, with an instance or in failure. */
  settle(instance: string | null): void {
    this.d1.rows(
      "UPDATE orchestration_occurrences SET state = 'done', due_at = NULL, instance_id = ? WHERE state = 'fire'",
      instance,
    );
  }

  states = () =>
    this.d1
      .rows("SELECT state FROM orchestration_occurrences ORDER BY key")
      .map((row) => row["state"]);
}

const COMMITTED = { id: "1", type: "COMMITTED_TRANSACTIONS", payload: {} };
const SAVED = { id: "2", type: "SAVED_PAYMENT", payload: { id: "payment" } };

describe("instances", () => {
  test("instances that ended before the retention are purged with all that belongs to them", async () => {
    const world = new World();
    world.instance("old", HOUR_MS + 1);
    const young = world.instance("young", HOUR_MS);
    const running = world.instance("running", undefined);
    const nextMs = await sweepEnded(world.context);
    expect(nextMs).toBe(NOW_MS + 1);
    expect(world.left()).toEqual([1, 2, 3, 4].map(() => [young, running]));
    world.nowMs += 1;
    expect(await sweepEnded(world.context)).toBeUndefined();
    expect(world.left()).toEqual([1, 2, 3, 4].map(() => [running]));
  });

  test("instances go in bounded batches, wherever the sweep is cut off", async () => {
    const world = new World();
    for (let number = 0; number < 250; number++) world.instance(`old-${number}`, 2 * HOUR_MS);
    world.instance("long", 3 * HOUR_MS, 6000);
    const sizes: number[] = [];
    let steps = 0;
    world.d1.onStep = (when) => {
      const [instances = [], ...others] = world.left();
      expect(others).toEqual([instances, instances, instances]);
      if (when === "after") sizes.push(instances.length);
      if (++steps % 5 === 0) throw new Error("killed");
    };
    for (let sweep = 0; sweep < 20; sweep++) await sweepEnded(world.context).catch(() => undefined);
    world.d1.onStep = () => undefined;

    expect(world.left()).toEqual([[], [], [], []]);
    // The first batch consists of the instance with the long timeline.
    expect(sizes.slice(0, 2)).toEqual([251, 250]);
    expect([...new Set(sizes)]).toEqual([251, 250, 150, 50, 0]);
  });

  test("instances that were retried since they were found stay whole", async () => {
    const world = new World();
    const key = world.instance("retried", 2 * HOUR_MS);
    world.d1.onStep = (when) => {
      if (when === "before") return;
      world.d1.exec("UPDATE orchestration_instances SET terminated_at = NULL");
    };
    expect(await sweepEnded(world.context)).toBeUndefined();
    expect(world.left()).toEqual([[key], [key], [key], [key]]);
  });
});

describe("an occurrence that was purged", () => {
  test.each([
    ["with its instance", "old"],
    ["after its failure", null],
  ])(
    "an occurrence that was purged %s does not fire for an event that comes late",
    async (_when, instance) => {
      const world = new World();
      expect([await world.fire(COMMITTED), await world.fire(SAVED)]).toEqual([true, true]);
      world.settle(instance);
      world.nowMs += 2 * HOUR_MS;
      if (instance !== null) world.instance(instance, HOUR_MS + 1);
      await sweepEnded(world.context);
      expect(world.states()).toEqual(["expired", "known"]);
      const again = { ...SAVED, id: "3" };
      expect([await world.fire(COMMITTED), await world.fire(again)]).toEqual([false, false]);

      world.nowMs += 365 * DAY_MS;
      await sweepEnded(world.context);
      expect(world.states()).toEqual(["known"]);
      expect(await world.fire(again)).toBe(false);
    },
  );

  test("an occurrence that was purged is known as long as its event is in the outbox", async () => {
    const world = new World();
    await world.fire(COMMITTED);
    world.settle(null);
    world.d1.exec(
      "INSERT INTO outbox (id, event, attempts, announce_at) VALUES ('1', '{}', 0, '')",
    );
    world.nowMs += 91 * DAY_MS;
    expect(await sweepEnded(world.context)).toBe(world.nowMs + DAY_MS);
    expect(await world.fire(COMMITTED)).toBe(false);
    world.d1.exec("DELETE FROM outbox");
    expect(await sweepEnded(world.context)).toBeUndefined();
    expect(world.states()).toEqual([]);
  });

  test("an occurrence that was purged was kept as long as its instance ran, and as long as it was not fired", async () => {
    const world = new World();
    await world.fire(COMMITTED);
    world.settle("running");
    await world.fire(SAVED);
    world.instance("running", undefined);
    world.nowMs += 100 * DAY_MS;
    expect(await sweepEnded(world.context)).toBeUndefined();
    expect(world.states()).toEqual(["done", "fire"]);
  });
});
