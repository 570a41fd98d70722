import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parseJson, stringifyJson } from "#platform/json.ts";
import { FakeClickHouse, FakeHttpDestination } from "#test/support/exporters/fake-destinations.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The number of log entries in all ledgers together. */
const ENTRIES = Number(process.env["PIPELINE_ENTRIES"] ?? 50_000);
const KILLS = Number(process.env["PIPELINE_KILLS"] ?? 8);
const LEDGERS = ["first", "second"];
const BULK_SIZE = 250;
const TIMEOUT_MS = 900_000;
/** The longest time for the last entries, whose batch may be one that gets no answer. */
const ANSWER_MS_MAX = 60_000;

const folder = freshFolder();
const http = new FakeHttpDestination(1);
const clickhouse = new FakeClickHouse(2);
let server: LocalServer;

const start = (): Promise<LocalServer> =>
  LocalServer.start(folder, {
    FLORIN_PIPELINE_PUSH_RETRY_PERIOD: "100ms",
    FLORIN_PIPELINE_SYNC_PERIOD: "1s",
  });

beforeAll(async () => {
  await Promise.all([http.open(), clickhouse.open()]);
  server = await start();
  const batching = { maxItems: 80, flushInterval: "100ms" };
  const exporters = [
    { driver: "http", config: { url: http.url, batching } },
    { driver: "clickhouse", config: { dsn: clickhouse.dsn } },
  ];
  for (const ledger of LEDGERS) await server.json(pathOf(ledger), { method: "POST" });
  for (const body of exporters) {
    const { data } = (await server.json("/api/ledger/v2/_/exporters", { body })) as {
      data: { id: string };
    };
    for (const ledger of LEDGERS) {
      await server.json(`${pathOf(ledger)}/pipelines`, { body: { exporterID: data.id } });
    }
  }
});

afterAll(async () => {
  await server?.killAll();
  await Promise.all([http.close(), clickhouse.close()]);
});

const pathOf = (ledger: string): string => `/api/ledger/v2/${ledger}`;

test(
  "every log entry arrives, in order, and again only after a fault",
  { timeout: TIMEOUT_MS },
  async () => {
    await Promise.all([...LEDGERS.map(write), killNowAndThen()]);
    const deadline = Date.now() + TIMEOUT_MS / 2;
    const isDone = (): boolean => Math.min(http.count, clickhouse.count) >= ENTRIES;
    while (!isDone() && Date.now() < deadline) await delay(200);
    for (const ledger of LEDGERS) await assertDelivered(ledger);
    expect([...http.violations, ...clickhouse.violations]).toEqual([]);
    for (const { failures, repeated } of [http.summary, clickhouse.summary]) {
      expect(failures).toBeGreaterThan(ENTRIES / 1000);
      expect(repeated).toBeGreaterThan(0);
    }
  },
);

/** Kills the server, with or without its runtime, whenever some more entries have arrived. */
async function killNowAndThen(): Promise<void> {
  for (let kill = 1; kill <= KILLS; kill++) {
    const count = (ENTRIES * kill) / (KILLS + 1);
    while (http.count < count) await delay(20);
    await http.whileRestarting(() =>
      clickhouse.whileRestarting(async () => {
        await (kill % 2 === 0 ? server.killParent() : server.killAll());
        server = await start();
      }),
    );
  }
}

/** Writes the log of a ledger in bulks. A bulk without an answer is sent again. */
async function write(ledger: string): Promise<void> {
  const count = ENTRIES / LEDGERS.length;
  for (let from = 0; from < count; from += BULK_SIZE) {
    const body = Array.from({ length: Math.min(BULK_SIZE, count - from) }, (_, index) =>
      toElement(from + index),
    );
    while (!(await isWritten(`${pathOf(ledger)}/_bulk`, body))) await delay(100);
  }
}

function toElement(number: number) {
  const ik = `e${number}`;
  if (number % 10 === 9) {
    const data = { targetType: "ACCOUNT", targetId: "meta", metadata: { n: `${number} "é"` } };
    return { action: "ADD_METADATA", ik, data };
  }
  const amount = BigInt(number + 1) * 10n ** 20n;
  const postings = [{ source: "world", destination: `a:${number % 50}`, amount, asset: "EUR/2" }];
  return { action: "CREATE_TRANSACTION", ik, data: { postings, metadata: {} } };
}

async function isWritten(path: string, body: unknown): Promise<boolean> {
  let response: Response;
  try {
    response = await server.api(path, { body });
    if (response.ok) await response.text();
  } catch (error) {
    // Thrown by `fetch` when a connection is cut or refused.
    if (error instanceof TypeError) return false;
    throw error;
  }
  if (response.ok) return true;
  if (response.status === 503) return false;
  throw new Error(`${path} answers ${response.status}: ${await response.text()}`);
}

/** Asserts that exactly the log has arrived, in its order, and that the pipelines report this. */
async function assertDelivered(ledger: string): Promise<void> {
  const response = await server.api(`${pathOf(ledger)}/logs/export`, { method: "POST" });
  const lines = (await response.text()).split("\n").slice(0, -1);
  const log = lines.map((line) => parseJson(line) as Record<string, unknown> & { id: number });
  expect(log).toHaveLength(ENTRIES / LEDGERS.length);
  expect([...http.textsOf(ledger)]).toEqual(log.map((entry) => [entry.id, stringifyJson(entry)]));
  expect([...clickhouse.textsOf(ledger)]).toEqual(
    log.map(({ id, type, date, data }) => [id, stringifyJson({ ledger, id, type, date, data })]),
  );
  const path = `/api/florin/v1/ledgers/${ledger}/pipelines`;
  await vi.waitFor(
    async () => {
      const { data } = (await server.json(path)) as { data: object[] };
      const done = { state: "started", lag: 0 };
      expect(data).toMatchObject([done, done]);
    },
    { timeout: ANSWER_MS_MAX, interval: 500 },
  );
}
