import { sql } from "drizzle-orm";
import { sqliteTable, text } from "drizzle-orm/sqlite-core";
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fromMillis } from "#platform/time.ts";
import { doubling } from "#platform/work/backoff.ts";
import { Reconciler } from "#platform/work/reconcile.ts";
import { syncColumns } from "#platform/work/sync-columns.ts";
import { type PendingRow, SyncTable } from "#platform/work/sync-table.ts";
import { NodeD1 } from "#test/support/platform/node-d1.ts";
import { runsOf } from "#test/support/runner/runs.ts";

const things = sqliteTable("things", {
  id: text("id").primaryKey(),
  kind: text("kind").notNull(),
  wanted: text("wanted"),
  ...syncColumns(),
});

interface Thing extends PendingRow {
  readonly id: string;
  readonly kind: string;
  /** The wanted value; null for a thing that is to be deleted. */
  readonly wanted: string | null;
}

/** The state of a thing on the other side. */
interface Copy {
  readonly revision: number;
  readonly value: string | null;
}

const CREATE = `CREATE TABLE things (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, wanted TEXT, revision INTEGER NOT NULL, synced_revision INTEGER NOT NULL,
  sync_attempts INTEGER NOT NULL DEFAULT 0, sync_after TEXT)`;
/** The error of work that was not begun. */
const HELD = new Error("held");
const START_MS = Date.parse("2026-03-01T12:00:00Z");
const SECOND = 1000;

beforeEach(() => {
  vi.useFakeTimers({ now: START_MS });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Things in D1 and their copies elsewhere. The test controls everything that can go wrong. */
class World {
  readonly d1 = new NodeD1();
  readonly copies = new Map<string, Copy>();
  readonly applied: string[] = [];
  readonly watched: number[] = [];
  readonly armed: number[] = [];
  /** Called before the other side applies a row. An error that it throws reaches the reconciler. */
  onApply: (thing: Thing) => Promise<void> | void = () => undefined;
  readonly reconciler: Reconciler<Thing>;

  constructor() {
    this.d1.exec(CREATE);
    this.reconciler = new Reconciler<Thing>({
      what: "thing",
      table: new SyncTable<Thing>(this.d1.db, {
        table: things,
        returning: sql`kind, wanted`,
        isFinal: sql`wanted IS NULL`,
      }),
      apply: async (thing) => {
        this.applied.push(`${thing.id}@${thing.revision}`);
        await this.onApply(thing);
        this.take(thing);
      },
      keyOf: ({ id }) => id,
      lanes: { total: 2, timeoutMs: 3 * SECOND },
      backoff: doubling(15 * SECOND, 60 * SECOND),
      heldMsOf: (error) => (error === HELD ? 12 * SECOND : undefined),
      sweepClock: {
        arm: async (atMs) => void this.armed.push(atMs),
        watch: async (untilMs) => void this.watched.push(untilMs),
      },
      clock: () => fromMillis(Date.now()),
    });
  }

  /** Applies a row on the other side, where the highest revision counts. */
  take({ id, revision, wanted }: Thing): void {
    if ((this.copies.get(id)?.revision ?? 0) < revision)
      this.copies.set(id, { revision, value: wanted });
  }

  async set(id: string, wanted: string | null, kind = "plain"): Promise<void> {
    await this.reconciler.change(async () => {
      await this.d1.db.run(sql`
        INSERT INTO things (id, kind, wanted, revision, synced_revision, sync_after)
        VALUES (${id}, ${kind}, ${wanted}, 1, 0, ${fromMillis(Date.now())})
        ON CONFLICT (id) DO UPDATE SET
          wanted = excluded.wanted, revision = revision + 1, sync_attempts = 0, sync_after = excluded.sync_after`);
    });
  }

  /** Runs a sweep; returns the time of the next sweep. */
  async sweep(rowsMax = 100): Promise<number | undefined> {
    const running = this.reconciler.run({ rowsMax, untilMs: Date.now() + 10 * SECOND });
    await Promise.all([running, vi.advanceTimersByTimeAsync(10 * SECOND)]);
    return this.reconciler.nextSweepMs();
  }

  get rows(): Record<string, unknown>[] {
    return this.d1.rows("SELECT * FROM things ORDER BY id");
  }

  get values(): Record<string, string | null> {
    return Object.fromEntries([...this.copies].map(([id, { value }]) => [id, value]));
  }
}

describe("the reconciler", () => {
  test("the reconciler applies a change, and then has nothing to do", async () => {
    const world = new World();
    await world.set("a", "first");
    expect(world.watched).toEqual([START_MS + 35 * SECOND]);
    expect(await world.reconciler.settle({ rowsMax: 10, untilMs: Date.now() + SECOND })).toBe(true);
    expect(world.values).toEqual({ a: "first" });
    expect(world.rows).toMatchObject([
      { revision: 1, synced_revision: 1, sync_attempts: 0, sync_after: null },
    ]);
    expect(await world.sweep()).toBeUndefined();
    expect([world.applied, world.armed]).toEqual([["a@1"], []]);
  });

  test("the reconciler deletes the row of a deleted thing when the other side has applied it", async () => {
    const world = new World();
    await world.set("a", "first");
    await world.set("a", null);
    await world.sweep();
    expect([world.values, world.rows]).toEqual([{ a: null }, []]);
  });

  test("the reconciler applies only the rows that it is asked for, and leaves the others to the sweep", async () => {
    const world = new World();
    await world.set("a", "1", "round");
    await world.set("b", "1", "square");
    const scope = sql`kind = ${"round"}`;
    const limits = { rowsMax: 10, untilMs: Date.now() + SECOND, scope };
    expect(await world.reconciler.settle(limits)).toBe(true);
    expect(world.applied).toEqual(["a@1"]);
    expect(await world.reconciler.nextSweepMs()).toBe(Date.now());
    await world.sweep();
    expect(world.values).toEqual({ a: "1", b: "1" });
  });

  test("the reconciler stops after a number of rows, and the clock continues at once", async () => {
    const world = new World();
    for (let index = 0; index < 9; index++) await world.set(`t${index}`, "1");
    expect(await world.reconciler.settle({ rowsMax: 7, untilMs: Date.now() + SECOND })).toBe(false);
    expect(world.applied).toHaveLength(7);
    expect(world.armed).toEqual([START_MS]);
    expect(await world.reconciler.nextSweepMs()).toBe(START_MS);
    await world.sweep();
    expect(new Set(world.applied).size).toBe(9);
    expect(world.applied).toHaveLength(9);
  });

  test("the reconciler does not run at all when the clock can't be set", async () => {
    const world = new World();
    const { reconciler, d1 } = world;
    vi.spyOn(world.watched, "push").mockImplementation(() => {
      throw new Error("no clock");
    });
    await expect(world.set("a", "1")).rejects.toThrow("no clock");
    expect(d1.rows("SELECT * FROM things")).toEqual([]);
    expect(await reconciler.nextSweepMs()).toBeUndefined();
  });
});

describe("a row that fails", () => {
  test("a row that fails is retried later each time, whatever happens to the others", async () => {
    const world = new World();
    world.onApply = ({ id }) => {
      if (id === "bad") throw new Error("down");
    };
    await world.set("bad", "1");
    await world.set("good", "1");
    const waits: number[] = [];
    for (let round = 0; round < 4; round++) {
      const startedMs = Date.now();
      const nextMs = (await world.sweep()) ?? 0;
      waits.push(nextMs - startedMs);
      vi.setSystemTime(nextMs);
    }
    expect(waits).toEqual([15, 30, 60, 60].map((seconds) => seconds * SECOND));
    expect(world.values).toEqual({ good: "1" });
    world.onApply = () => undefined;
    expect(await world.sweep()).toBeUndefined();
    expect(world.values).toEqual({ good: "1", bad: "1" });
  });

  test("a row that fails is tried at once when it changes", async () => {
    const world = new World();
    world.onApply = () => {
      throw new Error("down");
    };
    await world.set("a", "1");
    await world.sweep();
    world.onApply = () => undefined;
    await world.set("a", "2");
    expect(await world.sweep()).toBeUndefined();
    expect(world.values).toEqual({ a: "2" });
  });

  test("a row that fails has its turn before the rows that change after its time has come", async () => {
    const world = new World();
    world.onApply = () => {
      throw new Error("down");
    };
    await world.set("bad", "1");
    await world.sweep();
    world.onApply = () => undefined;
    vi.setSystemTime(START_MS + 16 * SECOND);
    for (let index = 0; index < 9; index++) await world.set(`fresh${index}`, "1");
    await world.sweep(4);
    expect(world.values).toHaveProperty("bad", "1");
  });

  test("a row that fails delays no other one if it hangs", async () => {
    const world = new World();
    world.onApply = ({ id }) =>
      id.startsWith("hangs") ? new Promise<void>(() => undefined) : undefined;
    for (const id of ["hangs1", "hangs2", "x", "y", "z"]) await world.set(id, "1");
    await world.sweep();
    expect(world.values).toEqual({ x: "1", y: "1", z: "1" });
    expect(world.rows).toMatchObject([{ sync_attempts: 1 }, { sync_attempts: 1 }, {}, {}, {}]);
  });

  test("a row that fails because its work was not begun has had no attempt, and waits as long each time", async () => {
    const world = new World();
    const logged = vi.spyOn(console, "error");
    world.onApply = () => {
      throw HELD;
    };
    await world.set("a", "1");
    for (let round = 0; round < 3; round++) {
      const startedMs = Date.now();
      const nextMs = (await world.sweep()) ?? 0;
      expect(nextMs - startedMs).toBe(12 * SECOND);
      expect(world.rows).toMatchObject([{ sync_attempts: 0 }]);
      vi.setSystemTime(nextMs);
    }
    expect(logged).not.toHaveBeenCalled();
    world.onApply = () => undefined;
    expect(await world.sweep()).toBeUndefined();
    expect(world.values).toEqual({ a: "1" });
  });

  test("a row that fails for lack of time is due again at once", async () => {
    const world = new World();
    world.onApply = () => new Promise<void>(() => undefined);
    await world.set("a", "1");
    const running = world.reconciler.run({ rowsMax: 10, untilMs: Date.now() + SECOND });
    await vi.advanceTimersByTimeAsync(SECOND);
    await running;
    expect(await world.reconciler.nextSweepMs()).toBe(START_MS + SECOND);
  });
});

describe("two at the same time", () => {
  test("two reconcilers at the same time do not work on the same row", async () => {
    const world = new World();
    for (let index = 0; index < 20; index++) await world.set(`t${index}`, "1");
    await Promise.all([world.sweep(), world.sweep()]);
    expect(world.applied).toHaveLength(20);
    expect(world.rows.every(({ synced_revision }) => synced_revision === 1)).toBe(true);
  });

  test("a late answer to an older revision changes nothing", async () => {
    const world = new World();
    const late = Promise.withResolvers<void>();
    world.onApply = ({ revision }) => (revision === 1 ? late.promise : undefined);
    await world.set("a", "old");
    const first = world.reconciler.run({ rowsMax: 10, untilMs: Date.now() + 10 * SECOND });
    await vi.advanceTimersByTimeAsync(0);
    await world.set("a", "new");
    await world.reconciler.run({ rowsMax: 10, untilMs: Date.now() + 10 * SECOND });
    expect(world.rows).toMatchObject([{ revision: 2, synced_revision: 2 }]);
    late.resolve();
    await first;
    expect(world.values).toEqual({ a: "new" });
    expect(world.rows).toMatchObject([{ revision: 2, synced_revision: 2, sync_after: null }]);
  });

  test("the confirmation of an older revision leaves the newer one pending", async () => {
    const world = new World();
    world.onApply = async ({ revision }) => {
      if (revision === 1) await world.set("a", "new");
    };
    await world.set("a", "old");
    expect(await world.sweep()).toBe(Date.now());
    await world.sweep();
    expect(world.applied).toEqual(["a@1", "a@2"]);
    expect(world.values).toEqual({ a: "new" });
  });
});

type Step =
  | { readonly kind: "set"; readonly id: string; readonly value: string | null }
  | { readonly kind: "run" };

test("the other side agrees in the end, whoever is killed and whatever comes twice or late", async () => {
  const steps = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant("set" as const),
        id: fc.constantFrom("a", "b", "c"),
        value: fc.option(fc.constantFrom("1", "2", "3")),
      }),
      fc.record({ kind: fc.constant("run" as const) }),
    ),
    { minLength: 1, maxLength: 10 },
  );
  // Numbers that decide at which step a caller is killed.
  const failures = fc.infiniteStream(fc.integer({ min: 0, max: 9 }));
  await fc.assert(
    fc.asyncProperty(steps, failures, async (all, stream) => {
      const world = new World();
      const late: Thing[] = [];
      let isSafe = false;
      const mayDie = (): void => {
        if (!isSafe && stream.next().value === 0) throw new Error("killed");
      };
      world.d1.onStep = mayDie;
      world.onApply = (thing) => {
        late.push(thing);
        mayDie();
      };
      const removed = new Set<string>(); // removed ids, which no later step sets
      for (const step of all) {
        if (step.kind === "set" && removed.has(step.id)) continue;
        if (step.kind === "set" && step.value === null) removed.add(step.id);
        await attempt(world, step);
      }
      isSafe = true;
      for (let round = 0; round < 20; round++) {
        const nextMs = await world.sweep();
        if (nextMs === undefined) break;
        vi.setSystemTime(Math.max(nextMs, Date.now()));
      }
      for (const thing of late.toReversed()) world.take(thing);
      const left = world.rows as unknown as {
        id: string;
        wanted: string | null;
        revision: number;
      }[];
      for (const { id, wanted } of left) expect(world.copies.get(id)?.value).toBe(wanted);
      const gone = [...world.copies].filter(([id]) => !left.some((row) => row.id === id));
      for (const [, { value }] of gone) expect(value).toBeNull();
      expect(
        world.rows.every(({ revision, synced_revision }) => revision === synced_revision),
      ).toBe(true);
    }),
    { numRuns: runsOf(150) },
  );
});

/** Takes a step for a caller that may be killed. */
async function attempt(world: World, step: Step): Promise<void> {
  try {
    if (step.kind === "set") await world.set(step.id, step.value);
    else await world.sweep();
  } catch (error) {
    expect(error).toMatchObject({
      message: expect.stringMatching(/killed|Failed query/) as string,
    });
  }
}
