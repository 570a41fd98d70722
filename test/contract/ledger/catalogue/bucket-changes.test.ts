import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { parseAccount } from "#ledger-engine/rules/names.ts";
import { LedgerCatalogue } from "#modules/catalogue/index.ts";
import { clockOf } from "#platform/objects/deployment-clock.ts";
import { fromMillis } from "#platform/time.ts";
import { SyncTable } from "#platform/work/sync-table.ts";
import { inLedger, objectOf } from "#test/support/ledger/api.ts";
import {
  bucketsAt,
  createIn,
  deleteBucket,
  freshBucket,
  isServed,
  ledgerIn,
  ledgersIn,
  NO_STORAGE,
  restoreBucket,
  rowOf,
  storageOf,
  uuidOf,
} from "#test/support/ledger/buckets.ts";
import { freshName } from "#test/support/platform/api.ts";
import { evict } from "#test/support/platform/evict.ts";

const HOUR = 3_600_000;
/** The time between the first failure of an object and the next call of it. */
const RETRY_MS = 15_000;

let bucket: string;
beforeEach(() => {
  bucket = freshBucket();
});

describe("the object of a ledger", () => {
  test("the object of a ledger orders changes by their revision, not by when they arrive", async () => {
    const ledger = await ledgerIn(bucket);
    const uuid = await uuidOf(ledger);
    const deletedAt = fromMillis(Date.now());
    const object = objectOf(ledger);
    const remove = (revision: number) => object.setDeletion({ uuid, revision, deletedAt });
    const restore = (revision: number) =>
      object.setDeletion({ uuid, revision, deletedAt: undefined });
    await restore(2);
    await remove(1);
    expect(await isServed(ledger)).toBe(true);
    await remove(5);
    await restore(4);
    await restore(2);
    await evict(object);
    await restore(4);
    expect(await isServed(ledger)).toBe(false);
    await remove(5);
    await restore(6);
    await remove(5);
    expect(await isServed(ledger)).toBe(true);
    await object.setDeletion({ uuid: crypto.randomUUID(), revision: 99, deletedAt });
    expect(await isServed(ledger)).toBe(true);
  });

  test("the object of a ledger refuses writes that still wait for their turn when the ledger is deleted", async () => {
    const ledger = await ledgerIn(bucket);
    const uuid = await uuidOf(ledger);
    const options = { idempotencyKey: "", dryRun: false };
    const results = await runInDurableObject(objectOf(ledger), async (object) => {
      const write = () =>
        object.execute(
          {
            kind: "deleteMetadata",
            target: { type: "ACCOUNT", id: parseAccount("a", "target") },
            key: "k",
          },
          options,
        );
      const [first, second] = [write(), write()];
      await object.setDeletion({ uuid, revision: 1, deletedAt: fromMillis(Date.now()) });
      return Promise.all([first, second, write()]);
    });
    expect(results.map(({ ok }) => ok)).toEqual([true, false, false]);
  });

  test("the object of a ledger that was not made yet is not made by a deletion, and later ignores it as stale", async () => {
    const name = freshName();
    await ledgerIn(bucket);
    await env.DB.prepare(
      "INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at) SELECT ?, ?, bucket, metadata, features, added_at FROM ledgers WHERE bucket = ? LIMIT 1",
    )
      .bind(crypto.randomUUID(), name, bucket)
      .run();
    await deleteBucket(bucket);
    expect((await inLedger(name, "/transactions")).status).toBe(404);
    expect(await storageOf(objectOf(name))).toEqual(NO_STORAGE);
    await restoreBucket(bucket);
    const stale = { uuid: await uuidOf(name), revision: 1, deletedAt: fromMillis(Date.now()) };
    expect(await isServed(name)).toBe(true);
    await objectOf(name).setDeletion(stale);
    expect(await isServed(name)).toBe(true);
  });

  test("the object of a ledger asks the catalogue again when the ledger is deleted while it asks", async () => {
    const name = freshName();
    const ask = vi
      .spyOn(LedgerCatalogue.prototype, "find")
      .mockImplementationOnce(async (wanted) => {
        const found = await LedgerCatalogue.from(env).find(wanted);
        await deleteBucket(bucket); // after the catalogue has answered, and before the answer arrives
        return found;
      });
    await createIn(bucket, name);
    expect(ask).toHaveBeenCalledTimes(3);
    expect(await isServed(name)).toBe(false);
    expect(await storageOf(objectOf(name))).toEqual(NO_STORAGE);
  });
});

describe("a deletion that is cut off", () => {
  const NOW = Date.now();
  const killed = async (): Promise<void> => {
    throw new Error("killed");
  };

  test("a bucket's deletion that is cut off has deleted the ledgers in lists, and the sweep syncs the other objects", async () => {
    const ledgers = await Promise.all(Array.from({ length: 5 }, () => ledgerIn(bucket)));
    let calls = 0;
    const synced: string[] = [];
    const dying = bucketsAt(NOW, {
      setDeletion: async ({ name, uuid, revision, deletedAt }) => {
        if (++calls > 2) throw new Error("killed");
        await objectOf(name).setDeletion({ uuid, revision, deletedAt: deletedAt ?? undefined });
        synced.push(name);
      },
      armClock: killed, // the last call of the deletion
    });
    await dying.deleteBucket(bucket);
    expect(await ledgersIn(bucket)).toEqual([]);
    const served = await Promise.all(ledgers.map(isServed));
    expect(served.filter(Boolean)).toHaveLength(3);
    await bucketsAt(NOW + RETRY_MS).sweep();
    expect(await Promise.all(ledgers.map(isServed))).toEqual(ledgers.map(() => false));
  });

  test("a bucket's deletion that is cut off and then undone leaves every ledger as it was", async () => {
    const ledgers = await Promise.all(Array.from({ length: 3 }, () => ledgerIn(bucket)));
    const late: (() => Promise<void>)[] = [];
    const dying = bucketsAt(NOW, {
      setDeletion: async ({ name, uuid, revision, deletedAt }) => {
        late.push(async () =>
          objectOf(name).setDeletion({ uuid, revision, deletedAt: deletedAt ?? undefined }),
        );
        throw new Error("killed");
      },
      armClock: killed,
    });
    await dying.deleteBucket(bucket);
    await restoreBucket(bucket);
    await Promise.all(late.map((call) => call()));
    expect(await Promise.all(ledgers.map(isServed))).toEqual(ledgers.map(() => true));
    await deleteBucket(bucket);
    await Promise.all(late.map((call) => call()));
    expect(await Promise.all(ledgers.map(isServed))).toEqual(ledgers.map(() => false));
  });

  test("a bucket's deletion that is cut off is watched by the clock from before it is stored until it should be complete", async () => {
    const ledger = await ledgerIn(bucket);
    const watched: number[] = [];
    vi.spyOn(SyncTable.prototype, "claim").mockRejectedValueOnce(new Error("killed"));
    const dying = bucketsAt(NOW, {
      watchClock: async (untilMs) => {
        expect(await rowOf(ledger)).toMatchObject({ revision: 0 });
        watched.push(untilMs);
      },
    });
    await dying.deleteBucket(bucket);
    expect(watched).toEqual([NOW + 35_000]);
    await runDurableObjectAlarm(await armed());
    expect(await isServed(ledger)).toBe(false);
  });

  test("a bucket's deletion that is cut off fails when the clock can't be set, and has changed nothing", async () => {
    const ledger = await ledgerIn(bucket);
    await expect(bucketsAt(NOW, { watchClock: killed }).deleteBucket(bucket)).rejects.toThrow(
      "killed",
    );
    expect(await rowOf(ledger)).toMatchObject({ revision: 0, deleted_at: null });
  });

  test("a bucket's deletion that is cut off is not held up by an object that fails, which is called again", async () => {
    const ledgers = await Promise.all(Array.from({ length: 3 }, () => ledgerIn(bucket)));
    const [broken] = ledgers;
    const armed: number[] = [];
    const buckets = bucketsAt(NOW, {
      setDeletion: async ({ name, uuid, revision, deletedAt }) => {
        if (name === broken) throw new Error("the object is down");
        await objectOf(name).setDeletion({ uuid, revision, deletedAt: deletedAt ?? undefined });
      },
      armClock: async (atMs) => {
        armed.push(atMs);
        await bucketsAt(NOW + RETRY_MS).sweep();
      },
    });
    await buckets.deleteBucket(bucket);
    expect(armed).toEqual([NOW]);
    expect(await Promise.all(ledgers.map(isServed))).toEqual([false, false, false]);
  });
});

test("the sweep helps to delete a bucket with more ledgers than one invocation deletes", async () => {
  const [nowMs, count] = [Date.now(), 1000];
  await env.DB.prepare(
    `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?2)
      INSERT INTO ledgers (uuid, name, bucket, metadata, features, added_at)
      SELECT ?1 || n, ?1 || n, ?1, '{}', '{}', '' FROM numbers`,
  )
    .bind(bucket, count)
    .run();
  const synced: string[] = [];
  const setDeletion = async ({ name }: { name: string }) => {
    synced.push(name);
  };
  const sweeps: (number | undefined)[] = [];
  const parts: number[] = [];
  const armClock = async (): Promise<void> => {
    do {
      parts.push(-synced.length);
      sweeps.push(await bucketsAt(nowMs, { setDeletion }).sweep());
      parts.push((parts.pop() ?? 0) + synced.length);
    } while (sweeps.at(-1) === nowMs);
  };
  await bucketsAt(nowMs, { setDeletion, armClock }).deleteBucket(bucket);
  expect(new Set(synced).size).toBe(count);
  expect(synced).toHaveLength(count);
  expect(parts).toEqual([150, 150, 150, 150, 100]);
  expect(sweeps.at(-1)).toBe(nowMs + 24 * HOUR);
  // Without this deletion, the restoration after the test would call a thousand objects.
  await env.DB.prepare("DELETE FROM ledgers WHERE bucket = ?").bind(bucket).run();
});

/** The clock object of buckets, with an alarm in an hour. */
async function armed() {
  const clock = clockOf(env, "buckets");
  await clock.arm(Date.now() + HOUR);
  return clock;
}
