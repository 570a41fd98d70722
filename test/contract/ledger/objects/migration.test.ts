import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, test } from "vitest";
import { storedUuid } from "#ledger-engine/storage/deletion.ts";
import { STEPS } from "#ledger-engine/storage/tables.ts";
import { present } from "#platform/assert.ts";
import { durableSql } from "#platform/sql/durable-sql.ts";
import type { Sql } from "#platform/sql/sql.ts";
import type { Step } from "#platform/sql/step.ts";
import { fromMillis } from "#platform/time.ts";
import { toFirstStep } from "#test/support/ledger-engine/migration/first-step.ts";
import {
  cursorOf,
  missed,
  stepsWith,
  visited,
} from "#test/support/ledger-engine/migration/made-up-step.ts";
import {
  balanceOf,
  freshLedger,
  inLedger,
  objectOf,
  okBodyOf,
  pay,
  post,
  refusalOf,
  tablesIn,
} from "#test/support/ledger/api.ts";
import { api } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { evict } from "#test/support/platform/evict.ts";

/** The number of slices that the Worker may still work on before the test stops it. */
let slicesLeft = 0;

/** The steps of the Worker, which shares its modules with this file. */
const workerSteps = STEPS as Step[];
const [...released] = STEPS;

/** Replaces the steps of the Worker by a version with the made-up step. */
const release = (isServedMeanwhile: boolean): void => {
  workerSteps.splice(0, Infinity, ...heldSteps(isServedMeanwhile));
};

afterEach(() => {
  workerSteps.splice(0, Infinity, ...released);
});

const MIGRATING =
  "[INTERNAL] the storage of the ledger is being brought up to date, try again later";
const LATER = `[INTERNAL] the ledger was written by a later version: its tables are at step 99, and this version knows only ${STEPS.length}`;

const ROWS = 10;
/** The number of transactions, for twelve slices and a half. */
const SIZE = 125;

/** The real steps and the made-up one, whose slices fail once `slicesLeft` is used up. */
function heldSteps(isServedMeanwhile: boolean): readonly Step[] {
  const steps = stepsWith({ rowsPerSlice: ROWS, isServedMeanwhile });
  const last = present(steps.at(-1), "there are steps");
  const rows = present(last.rows, "the made-up step works on rows");
  const slice = (sql: Sql, cursor: string) => {
    // Other ledgers, such as the copy of an audit, are empty and complete at once.
    const isEmpty = sql.all("SELECT 1 FROM tx LIMIT 1").length === 0;
    if (!isEmpty && slicesLeft-- <= 0) throw new Error("held by the test");
    return rows.slice(sql, cursor);
  };
  return [...steps.slice(0, -1), { ...last, rows: { ...rows, slice } }];
}

const inStorage = <T>(ledger: string, work: (sql: Sql) => T): Promise<T> =>
  runInDurableObject(objectOf(ledger), (_, { storage }) => work(durableSql(storage)));

/** Evicts the object of a ledger and lets its next instance work on `slices` slices. */
async function go(ledger: string, slices: number): Promise<void> {
  slicesLeft = slices;
  await evict(objectOf(ledger));
}

async function filledLedger(): Promise<string> {
  const ledger = await freshLedger();
  const elements = Array.from({ length: SIZE }, () => ({
    action: "CREATE_TRANSACTION",
    data: pay("world -> a", 1),
  }));
  await okBodyOf(inLedger(ledger, "/_bulk", { body: elements }));
  return ledger;
}

const waitFor = (ledger: string, rows: number): Promise<void> =>
  eventually(async () => expect(await inStorage(ledger, visited)).toBe(rows));

async function statesOf(ledger: string): Promise<string[]> {
  type Info = { data: { storage: { migrations: { state: string }[] } } };
  const { data } = await okBodyOf<Info>(inLedger(ledger, "/_info"));
  return data.storage.migrations.map(({ state }) => state);
}

const verify = (ledger: string): Promise<Response> =>
  api(`/api/florin/v1/ledgers/${ledger}/verify`, { method: "POST" });

test("a ledger whose log was a table of its own is brought over, and is the same", async () => {
  const ledger = await filledLedger();
  const reference = "r1";
  await okBodyOf(inLedger(ledger, "/transactions?dryRun=true", { body: pay("world -> a", 1) }));
  await okBodyOf(post(ledger, pay("a -> b", 2, { reference, timestamp: "2020-01-01T00:00:00Z" })));
  await inLedger(ledger, "/accounts/a/metadata", { body: { k: "v" } });
  const before = await Promise.all(PATHS.map(async (path) => okBodyOf(inLedger(ledger, path))));
  await inStorage(ledger, (sql) => sql.transaction(() => toFirstStep(sql)));
  await evict(objectOf(ledger));
  await eventually(async () => okBodyOf(inLedger(ledger, "/stats")));
  const after = await Promise.all(PATHS.map(async (path) => okBodyOf(inLedger(ledger, path))));
  expect(after).toEqual(before);
  expect(await okBodyOf(verify(ledger))).toMatchObject({ data: { status: "consistent" } });
});

const PATHS = ["/transactions?pageSize=200", "/logs?pageSize=200", "/accounts?expand=volumes"];

describe("a step that works on rows, slice by slice", () => {
  test("a step that works on rows in slices goes on after evictions, and the ledger is read and written meanwhile", async () => {
    const ledger = await filledLedger();
    release(true);
    let written = 0;
    for (const done of [2, 5, 9]) {
      const before = written === 0 ? 0 : await inStorage(ledger, (sql) => Number(cursorOf(sql)));
      await go(ledger, done - before / ROWS);
      await okBodyOf(post(ledger, pay("world -> a", 1)));
      written++;
      await waitFor(ledger, done * ROWS + written);
      expect(await inStorage(ledger, cursorOf)).toBe(`${done * ROWS}`);
      expect(await statesOf(ledger)).toEqual([...released.map(() => "DONE"), "PROGRESS"]);
      expect(await balanceOf(ledger, "a")).toBe(SIZE + written);
      expect(await refusalOf(verify(ledger))).toMatchObject({ status: 503, code: "INTERNAL" });
    }
    await go(ledger, Infinity);
    await waitFor(ledger, SIZE + written);
    expect(await inStorage(ledger, missed)).toBe(0);
    expect(await statesOf(ledger)).toEqual([...released.map(() => "DONE"), "DONE"]);
    expect(await balanceOf(ledger, "a")).toBe(SIZE + written);
  });

  test("a step that works on rows in slices answers 503 until it is done, if the rows cannot be read meanwhile", async () => {
    const ledger = await filledLedger();
    release(false);
    for (const slices of [2, 3, 4]) {
      await go(ledger, slices);
      const answers = [
        await inLedger(ledger, "/accounts/a"),
        await post(ledger, pay("world -> a", 1)),
        await verify(ledger),
      ];
      for (const response of answers) {
        expect(response.headers.get("retry-after")).toMatch(/^\d+$/);
        const { status, message } = await refusalOf(response);
        expect([status, message]).toEqual([503, MIGRATING]);
      }
      expect(await statesOf(ledger)).toEqual([...released.map(() => "DONE"), "PROGRESS"]);
    }
    await go(ledger, Infinity);
    await eventually(async () => okBodyOf(post(ledger, pay("world -> a", 1))));
    expect(await inStorage(ledger, (sql) => [visited(sql), missed(sql)])).toEqual([SIZE + 1, 0]);
    expect(await balanceOf(ledger, "a")).toBe(SIZE + 1);
  });

  test("a step that works on rows in slices takes note of a deletion and a restoration, and ends with a purge", async () => {
    const ledger = await filledLedger();
    const uuid = present(await inStorage(ledger, storedUuid), "the ledger is stored");
    release(false);
    await go(ledger, 2);
    const object = objectOf(ledger);
    const statusOf = async () => (await inLedger(ledger, "/accounts/a")).status;
    expect(await statusOf()).toBe(503);
    await object.setDeletion({ uuid, revision: 1, deletedAt: fromMillis(Date.now()) });
    expect(await statusOf()).toBe(404);
    await go(ledger, 1);
    expect(await statusOf()).toBe(404);
    await object.setDeletion({ uuid, revision: 2, deletedAt: undefined });
    expect(await statusOf()).toBe(503);
    await object.purge(uuid);
    expect(await tablesIn(ledger)).toEqual([]);
    const alarm = await runInDurableObject(object, (_, { storage }) => storage.getAlarm());
    expect(alarm).toBeNull();
  });
});

test("a ledger of a later version is left alone, and the answer says so", async () => {
  const ledger = await filledLedger();
  await inStorage(ledger, (sql) => sql.all("INSERT INTO migration (step) VALUES (99)"));
  await go(ledger, 0);
  const { status, message } = await refusalOf(inLedger(ledger, "/accounts/a"));
  expect([status, message]).toEqual([503, LATER]);
  expect(await statesOf(ledger)).toHaveLength(99);
  await inStorage(ledger, (sql) => sql.all("DELETE FROM migration WHERE step = 99"));
  await go(ledger, 0);
  expect(await balanceOf(ledger, "a")).toBe(SIZE);
});
