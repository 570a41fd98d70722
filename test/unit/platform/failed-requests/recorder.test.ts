import { describe, expect, test } from "vitest";
import type { Omitted } from "#platform/failed-requests/quota.ts";
import { FailureRecorder } from "#platform/failed-requests/recorder.ts";
import type { NewFailedRequest } from "#platform/failed-requests/store.ts";
import { failedRequest } from "#test/support/deployment/failed-requests.ts";

interface Batch {
  readonly ids: readonly string[];
  readonly omitted: Omitted;
}

/** A recorder with a clock, sleeps and a database of the test. */
class World {
  readonly batches: Batch[] = [];
  readonly recorder: FailureRecorder;
  nowMs = 1_000_000;
  /** Whether the database fails, or never answers. */
  database: "works" | "fails" | "hangs" = "works";
  /** Batches that are under way or sleep. */
  under = 0;
  #sleepers: (() => void)[] = [];
  #number = 0;

  constructor(perPrincipal = 1, total = 10) {
    this.recorder = new FailureRecorder({
      perPrincipal,
      total,
      store: (rows, omitted) => this.#store(rows, omitted),
      sleep: () => new Promise((resolve) => void this.#sleepers.push(resolve)),
      nowMs: () => this.nowMs,
    });
  }

  fail(count: number, principal = "ann"): void {
    for (let done = 0; done < count; done++) {
      const requestId = `${principal}-${this.#number++}`;
      this.recorder.record(principal, requestId, {
        toRow: () => failedRequest({ requestId }),
        goOn: (work) => void this.#follow(work),
      });
    }
  }

  /** Lets a time pass, and all batches that sleep go on. */
  async pass(ms: number): Promise<void> {
    this.nowMs += ms;
    for (const wake of this.#sleepers.splice(0)) wake();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }

  /** Loses the batches that sleep, as if their requests had been cut off. */
  lose(): void {
    this.#sleepers = [];
  }

  async #follow(work: Promise<void>): Promise<void> {
    this.under++;
    await work;
    this.under--;
  }

  async #store(rows: readonly NewFailedRequest[], omitted: Omitted): Promise<void> {
    if (this.database === "hangs") return new Promise(() => undefined);
    if (this.database === "fails") throw new Error("no database");
    this.batches.push({ ids: rows.map(({ requestId }) => requestId), omitted });
  }
}

describe("failed requests", () => {
  test("failed requests of a second are stored in one batch, after the answers", async () => {
    const world = new World();
    world.fail(3);
    expect(world.batches).toEqual([]);
    await world.pass(1000);
    expect(world.batches.map(({ ids }) => ids)).toEqual([["ann-0", "ann-1", "ann-2"]]);
    expect(world.under).toBe(0);
  });

  test("failed requests beyond the rate cost no row, and are counted", async () => {
    const world = new World();
    for (let second = 0; second < 10; second++) {
      world.fail(10_000);
      await world.pass(1000);
    }
    const rows = world.batches.flatMap(({ ids }) => ids);
    expect(rows.length).toBeLessThanOrEqual(20 + 10);
    const counted = world.batches.flatMap(({ omitted }) => [...omitted.more.values()]);
    expect(counted.reduce((sum, count) => sum + count, rows.length)).toBe(100_000);
    expect(world.batches.length).toBeLessThanOrEqual(10);
  });

  test("failed requests of many principals have a bounded number of rows together", async () => {
    const world = new World();
    for (let client = 0; client < 5000; client++) world.fail(1, `client${client}`);
    await world.pass(1000);
    expect(world.batches.flatMap(({ ids }) => ids).length).toBe(100);
    expect(world.batches[0]?.omitted.ofOthers?.count).toBe(4900);
  });

  test("failed requests are kept, in a bounded number, until a dead database works again", async () => {
    const world = new World(100, 100);
    world.database = "fails";
    for (let second = 0; second < 14; second++) {
      world.fail(100);
      await world.pass(1000);
      expect(world.under).toBe(0);
    }
    world.database = "works";
    await world.pass(5000);
    world.fail(1);
    await world.pass(1000);
    expect(world.batches.length).toBe(1);
    expect(world.batches[0]?.ids.length).toBe(256);
    expect(world.batches[0]?.ids.at(-1)).toBe("ann-1400");
  });

  test("failed requests never wait for a database that hangs", async () => {
    const world = new World();
    world.database = "hangs";
    world.fail(1);
    await world.pass(1000);
    world.database = "works";
    world.fail(1);
    await world.pass(1000);
    expect(world.batches.map(({ ids }) => ids)).toEqual([["ann-1"]]);
  });

  test("failed requests are stored by a later one if the request of their batch was cut off", async () => {
    const world = new World();
    world.fail(1);
    world.lose();
    await world.pass(2000);
    world.fail(1);
    expect(world.batches).toEqual([]);
    await world.pass(4000);
    world.fail(1);
    await world.pass(1000);
    expect(world.batches.map(({ ids }) => ids)).toEqual([["ann-0", "ann-1", "ann-2"]]);
  });

  test("failed requests are stored after the clock has stepped back", async () => {
    const world = new World();
    world.fail(1);
    world.lose();
    world.nowMs -= 3_600_000;
    world.fail(1);
    await world.pass(1000);
    expect(world.batches.map(({ ids }) => ids)).toEqual([["ann-0", "ann-1"]]);
  });

  test("failed requests are not recorded where the settings allow no rows", async () => {
    const world = new World(1, 0);
    world.fail(10);
    await world.pass(1000);
    expect(world.batches).toEqual([]);
  });
});
