import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { LedgerCatalogue } from "#modules/catalogue/index.ts";
import { PipelineService } from "#modules/exporters/services/pipeline-service.ts";
import { ExporterStore } from "#modules/exporters/store/exporter-store.ts";
import { PipelineStore } from "#modules/exporters/store/pipeline-store.ts";
import { WAKE_MS_MAX, WAKES_MAX } from "#modules/exporters/store/reconciler.ts";
import { systemContext } from "#platform/context.ts";
import { SecretBox } from "#platform/secrets/secrets.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";

const LONG_AGO = "2020-01-01T00:00:00.000000Z";

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Pipelines in D1 whose objects the test controls. Objects of ledgers whose names begin with "hung" hang. */
class World {
  readonly d1 = new NodeD1();
  readonly called: string[] = [];
  readonly service: PipelineService;

  constructor() {
    this.d1.migrate();
    const call = (id: string): Promise<void> => {
      this.called.push(id);
      return id.startsWith("hung") ? new Promise(() => undefined) : Promise.resolve();
    };
    const env = {
      DB: this.d1.binding,
      PIPELINES: {
        getByName: (id: string) => ({ wake: () => call(id), refresh: () => call(id) }),
      },
      CLOCK: { getByName: () => ({ arm: async () => undefined, watch: async () => undefined }) },
    } as unknown as Env; // the service uses only these members
    const { db } = this.d1;
    const box = new SecretBox({ FLORIN_SECRET_KEY: "", FLORIN_PREVIOUS_SECRET_KEYS: [] });
    this.service = new PipelineService(systemContext(env, "test"), {
      pipelines: new PipelineStore(db, box),
      exporters: new ExporterStore(db, box),
      ledgers: new LedgerCatalogue(db),
    });
  }

  /** Adds a ledger with `count` enabled pipelines, all of them in sync. */
  addLedger(name: string, count: number): void {
    this.d1.rows(
      `INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at) VALUES (?1, ?1, 'b', '{}', '{}', ?2)`,
      name,
      LONG_AGO,
    );
    for (let index = 0; index < count; index++) {
      this.d1.rows(
        `INSERT INTO pipelines (id, ledger, exporter_id, enabled, resets, revision, synced_revision, created_at)
          VALUES (?, ?, ?, 1, 0, 1, 1, ?)`,
        `${name} ${index}`,
        name,
        `${index}`,
        LONG_AGO,
      );
    }
  }

  /** Wakes the pipelines of all ledgers. Returns how long that took, in milliseconds. */
  async wake(): Promise<number> {
    const names = this.d1.rows("SELECT name FROM ledgers").map(({ name }) => String(name));
    const waking = this.service.wake(new Map(names.map((name) => [name, 1])));
    const startMs = Date.now();
    const done = waking.then(() => Date.now() - startMs);
    await vi.advanceTimersByTimeAsync(2 * WAKE_MS_MAX);
    return done;
  }

  get pending(): unknown[] {
    return this.d1
      .rows("SELECT id FROM pipelines WHERE synced_revision < revision ORDER BY id")
      .map(({ id }) => id);
  }
}

describe("the pipelines of ledgers with new entries", () => {
  test("the pipelines of ledgers with new entries are woken, and none is left to the sweep", async () => {
    const world = new World();
    world.addLedger("a", 3);
    await world.wake();
    expect([world.called, world.pending]).toEqual([["a 0", "a 1", "a 2"], []]);
  });

  test("pipelines of ledgers with new entries are woken in time, however many others hang, which the sweep wakes", async () => {
    const world = new World();
    for (const name of ["hung1", "hung2", "hung3", "hung4"]) world.addLedger(name, 50);
    world.addLedger("quick", 2);
    expect(await world.wake()).toBe(WAKE_MS_MAX);
    expect(world.called).toEqual(expect.arrayContaining(["quick 0", "quick 1"]));
    expect(world.pending).toHaveLength(200);
    expect(world.pending).not.toContain("quick 0");
  });

  test("the pipelines of ledgers with new entries are left to the sweep where they are more than one batch may call", async () => {
    const world = new World();
    for (let index = 0; index < 10; index++) world.addLedger(`ledger${index}`, 50);
    await world.wake();
    expect(world.called).toHaveLength(WAKES_MAX);
    expect(world.pending).toHaveLength(500 - WAKES_MAX);
    expect(world.pending.filter((id) => world.called.includes(String(id)))).toEqual([]);
  });
});

test("the purge of a ledger calls few of its pipelines, and leaves the others to their sweep", async () => {
  const world = new World();
  world.addLedger("a", 50);
  expect(await world.service.removeAllOf({ name: "a", uuid: "a" })).toBe(false);
  expect([world.called.length, world.pending.length]).toEqual([5, 45]);
  await world.service.sweep();
  expect([world.called.length, world.pending]).toEqual([50, []]);
  expect(await world.service.removeAllOf({ name: "a", uuid: "a" })).toBe(true);
});
