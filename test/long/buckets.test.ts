import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, LocalServer } from "../support/server.ts";

const LEDGERS = Number(process.env["BUCKET_LEDGERS"] ?? 2000);
const CLIENTS = 16;
/** What a deletion or restoration may take, in milliseconds: from its begin, or from the start after a kill. */
const WITHIN_MS = 10_000;
const PURGED_WITHIN_MS = 240_000;
const KILLS = 2;
const SETTINGS = { FLORIN_MAX_PAGE_SIZE: "1000" };
const PURGING = { FLORIN_BUCKET_RETENTION: "1ms", FLORIN_BUCKET_CLEANUP_SCHEDULE: "* * * * * *" };

const folder = freshFolder();
const names = Array.from({ length: LEDGERS }, (_, index) => `big-${index}`);
const OTHER = "other";
let server: LocalServer;
/** What each ledger answers to `READS`, before anything happens to it. */
let answers: string[][];

beforeAll(async () => {
  server = await LocalServer.start(folder, SETTINGS);
  await atOnce([OTHER, ...names], async (name) => {
    await server.json(`/api/ledger/v2/${name}`, {
      method: "POST",
      body: { bucket: name === OTHER ? "small" : "big" },
    });
    await server.json(`/api/ledger/v2/${name}/transactions`, { body: payment(name) });
  });
  answers = await atOnce(names, read);
}, 300_000);

afterAll(async () => {
  await server?.killAll();
});

const payment = (reference: string) => ({
  reference,
  postings: [{ source: "world", destination: "a", amount: 10n ** 30n, asset: "USD/2" }],
});

test("a bucket of many ledgers is deleted, restored and deleted within seconds", async () => {
  for (const _ of [1, 2]) {
    const deletionMs = await timed(() => change("DELETE", ""));
    expect(await listed()).toEqual([OTHER]);
    expect(await countServed()).toBe(0);
    const restorationMs = await timed(() => change("POST", "/restore"));
    expect(await listed()).toHaveLength(LEDGERS + 1);
    expect(await countServed()).toBe(LEDGERS);
    expect(deletionMs).toBeLessThan(WITHIN_MS + 1000);
    expect(restorationMs).toBeLessThan(WITHIN_MS + 1000);
  }
  expect(await atOnce(names, read)).toEqual(answers);
}, 600_000);

test("a kill half way changes nothing about that, nor about what comes back", async () => {
  for (let round = 0; round < KILLS; round++) {
    await killHalfWay("DELETE", "");
    await within(WITHIN_MS, async () => (await countServed()) === 0);
    expect(await listed()).toEqual([OTHER]);
    await killHalfWay("POST", "/restore");
    await within(WITHIN_MS, async () => (await countServed()) === LEDGERS);
    expect(await listed()).toHaveLength(LEDGERS + 1);
  }
  expect(await atOnce(names, read)).toEqual(answers);
}, 600_000);

test("what is purged gives all its storage back, also when the server is killed meanwhile", async () => {
  await server.stop();
  const filled = storageFiles().filter((file) => tablesIn(file).length > 0);
  expect(filled.length).toBeGreaterThanOrEqual(LEDGERS + 1);
  server = await LocalServer.start(folder, { ...SETTINGS, ...PURGING });
  await change("DELETE", "");
  await until(async () => (await countDeleted()) < LEDGERS, PURGED_WITHIN_MS);
  await server.killAll();
  expect(await count("purging_since IS NOT NULL")).toBeGreaterThan(0);
  server = await LocalServer.start(folder, { ...SETTINGS, ...PURGING });
  await until(async () => (await countDeleted()) === 0, PURGED_WITHIN_MS);
  await server.stop();
  expect(storageFiles().filter((file) => tablesIn(file).length > 0)).toHaveLength(1);

  server = await LocalServer.start(folder, SETTINGS);
  const [name = ""] = names;
  expect((await server.api(`/api/ledger/v2/${name}/transactions`)).status).toBe(404);
  await server.json(`/api/ledger/v2/${name}`, { method: "POST", body: {} });
  expect(await server.json(`/api/ledger/v2/${name}/stats`)).toEqual({
    data: { transactions: 0, accounts: 0 },
  });
  expect((await server.api(`/api/ledger/v2/${OTHER}/transactions/1`)).status).toBe(200);
}, 600_000);

async function change(method: string, path: string): Promise<void> {
  const response = await server.api(`/api/ledger/v2/_/buckets/big${path}`, { method });
  expect(response.status).toBe(204);
}

/** Kills the server when lists show a change that not all objects know of, and starts it again. */
async function killHalfWay(method: "DELETE" | "POST", path: string): Promise<void> {
  const changing = change(method, path).catch(() => undefined);
  await until(async () => (await hasListed()) === (method === "POST"), WITHIN_MS);
  await server.killAll();
  await changing;
  expect(await count("visibility <> told_visibility")).toBeGreaterThan(0);
  server = await LocalServer.start(folder, SETTINGS);
}

/** Whether a list shows a ledger of the bucket. */
async function hasListed(): Promise<boolean> {
  const query = encodeURIComponent('{"$match":{"bucket":"big"}}');
  const { cursor } = (await server.json(`/api/ledger/v2?pageSize=1&query=${query}`)) as {
    cursor: { data: unknown[] };
  };
  return cursor.data.length > 0;
}

/** Counts rows of the catalogue while no server runs. */
async function count(condition: string): Promise<number> {
  for (const file of sqliteFiles("d1")) {
    const database = new DatabaseSync(file);
    try {
      const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ledgers'").get();
      if (has === undefined) continue;
      const row = database
        .prepare(`SELECT count(*) AS count FROM ledgers WHERE ${condition}`)
        .get();
      return Number(row?.["count"]);
    } finally {
      database.close();
    }
  }
  throw new Error("no catalogue");
}

const storageFiles = (): string[] =>
  sqliteFiles("do").filter((file) => file.includes("LedgerObject"));

function tablesIn(file: string): string[] {
  const database = new DatabaseSync(file);
  try {
    return database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'")
      .all()
      .map(({ name }) => String(name));
  } finally {
    database.close();
  }
}

/** The databases below the state folder, of D1 or of objects. */
const sqliteFiles = (kind: "d1" | "do"): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sqlite") && path.split("/").includes(kind))
    .map((path) => join(folder, path));

/** The names of the ledgers that a list shows, a page at a time. */
async function listed(query = ""): Promise<string[]> {
  const found: string[] = [];
  let path = `/api/ledger/v2?pageSize=1000${query}`;
  for (;;) {
    const { cursor } = (await server.json(path)) as {
      cursor: { next: string; data: { name: string }[] };
    };
    found.push(...cursor.data.map(({ name }) => name));
    if (cursor.next === "") return found;
    path = `/api/ledger/v2?pageSize=1000&cursor=${cursor.next}`;
  }
}

const countDeleted = async (): Promise<number> =>
  (await listed("&includeDeleted=true")).length - (await listed()).length;

const READS = ["", "/transactions?expand=volumes", "/accounts?expand=volumes", "/logs"];

const read = (name: string): Promise<string[]> =>
  Promise.all(
    READS.map(async (path) => (await server.api(`/api/ledger/v2/${name}${path}`)).text()),
  );

/** How many ledgers answer a direct read; the others must say that they are not there, to a write, too. */
async function countServed(): Promise<number> {
  const statuses = await atOnce(names, async (name) => {
    const path = `/api/ledger/v2/${name}/transactions`;
    const { status } = await server.api(path);
    const written = await server.api(`${path}?dryRun=true`, { body: payment("dry") });
    expect([200, 404]).toContain(status);
    return status === 200 && written.status === 200;
  });
  return statuses.filter(Boolean).length;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return Math.round(performance.now() - startedMs);
}

/** The condition holds when it is looked at after that time. */
async function within(timeoutMs: number, condition: () => Promise<boolean>): Promise<void> {
  await delay(timeoutMs);
  expect(await condition()).toBe(true);
}

async function until(condition: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("it did not come about in time");
    await delay(5);
  }
}

/** Runs a work for each item, several at once, and gives the results in the order of the items. */
async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CLIENTS }, lane));
  return results;
}
