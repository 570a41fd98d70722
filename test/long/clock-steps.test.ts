import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { BenchApi } from "#bench/api.ts";
import { BenchServer } from "#bench/server.ts";
import { buildClockWorker } from "#test/support/clock/build.ts";
import { ENDPOINTS, type EndpointName, Endpoints } from "#test/support/clock/endpoints.ts";
import { WAIT_MS_MAX } from "#test/support/runner/patience.ts";

const SECOND = 1000;
const YEARS_10 = 3653 * 86_400 * SECOND;
/** Steps of the clock, in milliseconds. The first step is zero, and shows the waits without a step. */
const STEPS = [
  0,
  40 * SECOND,
  -40 * SECOND,
  -40 * SECOND,
  40 * SECOND,
  YEARS_10,
  -YEARS_10,
  -YEARS_10,
  YEARS_10,
];
/** Commits before the step, together with it, and after it. One endpoint is down until all commits were made. */
const BEFORE = 30;
const DURING = 10;
const AFTER = 30;
const PAUSE_MS = 100;
/** A difference of waits below this is due to the machine. A step that makes waits longer makes them longer by more. */
const SLACK_MS = 30_000;
const LEDGER = "stepped";
const SETTINGS = {
  FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: "2s",
  FLORIN_WEBHOOK_RETRY_MAX_BACKOFF: "4s",
};

let server: BenchServer;
let endpoints: Endpoints;
/** The client of the server. It needs a new token after each step, because a token of another year is not valid. */
let api: BenchApi;

beforeAll(async () => {
  endpoints = await Endpoints.open();
  server = await BenchServer.start(await buildClockWorker({ startMs: Date.now(), speed: 1 }), {
    env: SETTINGS,
  });
  await authorize();
  await api.createLedger(LEDGER);
  for (const name of ENDPOINTS) {
    const config = {
      endpoint: endpoints.urlOf(name),
      eventTypes: ["ledger.committed_transactions"],
    };
    await api.send("POST", "/api/webhooks/configs", JSON.stringify(config));
  }
});

afterAll(async () => {
  await server?.stop();
  endpoints?.close();
});

async function authorize(): Promise<void> {
  api = new BenchApi(server.url, await server.authorize());
}

const Committed = z.object({ data: z.object({ id: z.int() }) });

/** The time of each transaction's commit, by a clock that is not stepped. */
type Commits = Map<number, number>;

async function commit(commits: Commits): Promise<void> {
  const postings = [{ source: "world", destination: "users:1", amount: 1, asset: "EUR/2" }];
  const body = JSON.stringify({ postings, metadata: {} });
  const answer = await api.send("POST", `/api/ledger/v2/${LEDGER}/transactions`, body);
  commits.set(Committed.parse(answer).data.id, performance.now());
}

async function commitMany(count: number, commits: Commits): Promise<void> {
  for (let done = 0; done < count; done++) {
    await commit(commits);
    await delay(PAUSE_MS);
  }
}

/** Steps the clock during commits and deliveries; returns the longest waits when all endpoints have all events. */
async function deliverAround(stepMs: number): Promise<Record<EndpointName, number>> {
  const commits: Commits = new Map();
  endpoints.isDown = true;
  await commitMany(BEFORE, commits);
  const during = Array.from({ length: DURING }, () => commit(commits));
  const step = fetch(`${server.url}/api/test/step-clock`, { method: "POST", body: `${stepMs}` });
  // Commits after the step have a token of another time, and are refused.
  await Promise.allSettled([...during, step]);
  expect((await step).status).toBe(200);
  await authorize();
  await commitMany(AFTER, commits);
  endpoints.isDown = false;
  const ids = [...commits.keys()];
  expect(ids.length).toBeGreaterThanOrEqual(BEFORE + AFTER);
  for (const name of ENDPOINTS) {
    await expect.poll(() => endpoints.missing(name, ids), { timeout: WAIT_MS_MAX }).toEqual([]);
  }
  const waits = ENDPOINTS.map((name) => [name, endpoints.longestWaitMs(name, commits)]);
  process.stdout.write(
    `${stepMs / SECOND} s: ${ids.length} events, longest waits in ms ${waits.map(([name, ms]) => `${name} ${Math.round(Number(ms))}`).join(", ")}\n`,
  );
  return Object.fromEntries(waits) as Record<EndpointName, number>; // `waits` has an entry for each endpoint
}

test("steps of the clock lose nothing that is owed, and make no wait longer", async () => {
  const [none, ...others] = STEPS;
  const usual = await deliverAround(none ?? 0);
  for (const stepMs of others) {
    const waits = await deliverAround(stepMs);
    for (const name of ENDPOINTS) {
      expect([stepMs, name, waits[name] - usual[name]]).toEqual([
        stepMs,
        name,
        expect.toSatisfy((ms: number) => ms < SLACK_MS),
      ]);
    }
  }
});
