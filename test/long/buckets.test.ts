import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

const LEDGERS = Number(process.env["BUCKET_LEDGERS"] ?? 2000);
const CLIENTS = 16;
/** The longest time of a deletion or restoration, from its beginning or from the start of the server after a kill. */
const WITHIN_MS = 10_000;
const PURGED_WITHIN_MS = 240_000;
const SETTINGS = { FLORIN_MAX_PAGE_SIZE: "1000" };
const PURGING = { FLORIN_BUCKET_RETENTION: "1ms", FLORIN_BUCKET_CLEANUP_SCHEDULE: "* * * * * *" };

const folder = freshFolder();
const names = Array.from({ length: LEDGERS }, (_, index) => `big-${index}`);
const OTHER = "other";
/** The number of ledgers with a pipeline, which the deletion of the bucket also deletes. */
const PIPED = 20;
let server: LocalServer;
/** The answers of each ledger to `READS` before its bucket is deleted. */
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
  const exporter = (await server.json("/api/ledger/v2/_/exporters", {
    body: { driver: "noop", config: {} },
  })) as { data: { id: string } };
  await atOnce(names.slice(0, PIPED), (name) =>
    server.json(`/api/ledger/v2/${name}/pipelines`, { body: { exporterID: exporter.data.id } }),
  );
  answers = await atOnce(names, read);
}, 300_000);

afterAll(async () => {
  await server?.killAll();
});

const payment = (reference: string) => ({
  reference,
  postings: [{ source: "world", destination: "a", amount: 10n ** 30n, asset: "USD/2" }],
});

test("a bucket of many ledgers is deleted, and restored, within seconds", async () => {
  const deletionMs = await timed(() => change("DELETE", ""));
  expect(await listed()).toEqual([OTHER]);
  expect(await served()).toEqual(NONE);
  const restorationMs = await timed(() => change("POST", "/restore"));
  expect(await listed()).toHaveLength(LEDGERS + 1);
  expect(await served()).toEqual(ALL);
  expect(deletionMs).toBeLessThan(WITHIN_MS);
  expect(restorationMs).toBeLessThan(WITHIN_MS);
}, 600_000);

test("a kill half way changes neither the time that it takes nor what is restored", async () => {
  await killHalfWay("DELETE", "");
  await delay(WITHIN_MS);
  expect(await served()).toEqual(NONE);
  expect(await listed()).toEqual([OTHER]);
  await killHalfWay("POST", "/restore");
  await delay(WITHIN_MS);
  expect(await served()).toEqual(ALL);
  expect(await listed()).toHaveLength(LEDGERS + 1);
  expect(await atOnce(names, read)).toEqual(answers);
}, 600_000);

test("a purge frees all storage, even if the server is killed meanwhile", async () => {
  await server.json(`/api/florin/v1/ledgers/${names[0]}/verify`, { method: "POST" });
  await server.stop();
  expect(filledObjects()).toEqual({ LedgerObject: LEDGERS + 1, PipelineObject: PIPED });
  server = await LocalServer.start(folder, { ...SETTINGS, ...PURGING });
  await change("DELETE", "");
  await until(async () => (await countDeleted()) < LEDGERS, PURGED_WITHIN_MS);
  await server.killAll();
  expect(count("ledgers WHERE purging_since IS NOT NULL")).toBeGreaterThan(0);
  server = await LocalServer.start(folder, { ...SETTINGS, ...PURGING });
  await until(async () => (await countDeleted()) === 0, PURGED_WITHIN_MS);
  await server.stop();
  expect(filledObjects()).toEqual({ LedgerObject: 1 });
  expect([count("ledgers"), count("pipelines")]).toEqual([1, 0]);

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

/** Kills the server when the catalogue and only some objects have heard of a change, and starts it again. */
async function killHalfWay(method: "DELETE" | "POST", path: string): Promise<void> {
  const wanted = method === "POST";
  const changing = change(method, path).catch(() => undefined);
  await until(async () => (await hasListed()) === wanted, WITHIN_MS);
  await until(
    async () => Object.values(await answersOf(names[0])).every((is) => is === wanted),
    WITHIN_MS,
  );
  await server.killAll();
  await changing;
  expect(count("ledgers WHERE synced_revision < revision")).toBeGreaterThan(0);
  server = await LocalServer.start(folder, SETTINGS);
}

/** Whether the list of ledgers shows a ledger of the bucket. */
async function hasListed(): Promise<boolean> {
  const query = encodeURIComponent('{"$match":{"bucket":"big"}}');
  const { cursor } = (await server.json(`/api/ledger/v2?pageSize=1&query=${query}`)) as {
    cursor: { data: unknown[] };
  };
  return cursor.data.length > 0;
}

/** Counts rows of D1 while no server runs. `rows` is a table, with a condition. */
function count(rows: string): number {
  for (const file of sqliteFiles("d1")) {
    const found = readDatabase(file, (database) => {
      const has = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'ledgers'").get();
      if (has === undefined) return undefined;
      return Number(database.prepare(`SELECT count(*) AS count FROM ${rows}`).get()?.["count"]);
    });
    if (found !== undefined) return found;
  }
  throw new Error("no catalogue");
}

/** The number of objects with anything stored, by class, while no server runs. The deployment's clock is left out. */
function filledObjects(): Record<string, number> {
  const filled: Record<string, number> = {};
  for (const file of sqliteFiles("do")) {
    const name = OBJECTS.find((candidate) => file.includes(candidate));
    if (name === undefined || tablesIn(file).length === 0) continue;
    filled[name] = (filled[name] ?? 0) + 1;
  }
  return filled;
}

const OBJECTS = ["LedgerAuditObject", "LedgerObject", "PipelineObject"];

const tablesIn = (file: string): unknown[] =>
  readDatabase(file, (database) =>
    database
      .prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB '_cf_*'")
      .all(),
  );

function readDatabase<T>(file: string, read: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(file);
  try {
    return read(database);
  } finally {
    database.close();
  }
}

/** The SQLite files below the state folder, of D1 or of objects. */
const sqliteFiles = (kind: "d1" | "do"): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sqlite") && path.split("/").includes(kind))
    .map((path) => join(folder, path));

/** The names of all ledgers in the list, which is read page by page. */
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

/** All ways to use a ledger: reads and writes of both versions, and its row in the catalogue. */
const WAYS = {
  ledger: (name: string) => server.api(`/api/ledger/v2/${name}`),
  read: (name: string) => server.api(`/api/ledger/v2/${name}/transactions`),
  write: (name: string) =>
    server.api(`/api/ledger/v2/${name}/transactions?dryRun=true`, { body: payment("dry") }),
  v1Read: (name: string) => server.api(`/api/ledger/${name}/stats`),
  v1Write: (name: string) =>
    server.api(`/api/ledger/${name}/transactions?preview=true`, { body: payment("dry") }),
};
type Way = keyof typeof WAYS;
const WAY_NAMES = Object.keys(WAYS) as Way[]; // `WAYS` has no other keys

/** Whether each way serves a ledger or answers that it does not exist. */
async function answersOf(name = ""): Promise<Record<Way, boolean>> {
  const found = await Promise.all(
    WAY_NAMES.map(async (way): Promise<[Way, boolean]> => {
      const response = await WAYS[way](name);
      await response.arrayBuffer();
      expect([200, 404]).toContain(response.status);
      return [way, response.status === 200];
    }),
  );
  return Object.fromEntries(found) as Record<Way, boolean>; // `found` has an entry for each way
}

/** The number of ledgers that each way serves. */
async function served(): Promise<Record<Way, number>> {
  const found = await atOnce(names, answersOf);
  return onEachWay((way) => found.filter((answer) => answer[way]).length);
}

const onEachWay = <T>(value: (way: Way) => T): Record<Way, T> =>
  Object.fromEntries(WAY_NAMES.map((way) => [way, value(way)])) as Record<Way, T>; // an entry for each way

const NONE = onEachWay(() => 0);
const ALL = onEachWay(() => LEDGERS);

async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return Math.round(performance.now() - startedMs);
}

async function until(condition: () => Promise<boolean>, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error("it did not happen in time");
    await delay(5);
  }
}

/** Does work for each item, several at once; returns the results in the order of the items. */
async function atOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: CLIENTS }, lane));
  return results;
}
