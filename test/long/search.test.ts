import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** How often the server is killed: every other time alone, the other times with its runtime. */
const KILLS = Number(process.env["SEARCH_KILLS"] ?? 20);
const WRITES_PER_SECOND = 50;
/** How long the server works before each kill, in milliseconds. */
const ROUND_MS = 3000;
/** Longest time until a new transaction is found while others are written, and how many are looked for. */
const FRESH_MS_MAX = 3000;
const FRESH = 30;
const LEDGERS = ["searched-a", "searched-b"];
/** One of so many writes is a payment. */
const PAYMENT_EVERY = 10;
const TIMEOUT_MS = 1_800_000;

const folder = freshFolder();
/** The references of the acknowledged transactions, by their ledgers. */
const written = new Map(LEDGERS.map((ledger) => [ledger, new Set<string>()]));
/** The references of the acknowledged payments. */
const paid = new Set<string>();
let connectorID: string;
let server: LocalServer;
let sequence = 0;

interface Page {
  readonly cursor: {
    readonly next: string;
    readonly data: readonly { readonly reference?: string }[];
  };
}

beforeAll(async () => {
  server = await LocalServer.start(folder);
  for (const ledger of LEDGERS) {
    await server.json(`/api/ledger/v2/${ledger}`, { method: "POST" });
  }
  const config = { name: "searched", directory: "searched", pollingPeriod: "30m" };
  const installed = await server.json("/api/payments/v3/connectors/install/dummypay", {
    body: config,
  });
  connectorID = (installed as { data: string }).data;
});

afterAll(async () => {
  await server?.killAll();
});

/** Commits a transaction; returns its reference, or undefined if the server did not answer. */
async function commit(ledger: string): Promise<string | undefined> {
  const number = ++sequence;
  const reference = `reference-${number}`;
  const destination = `users:${number % 500}:main`;
  const postings = [{ source: "world", destination, amount: number, asset: "EUR/2" }];
  try {
    const body = { reference, postings, metadata: { mark: `mark-${number}` } };
    await server.json(`/api/ledger/v2/${ledger}/transactions`, { body });
  } catch {
    return undefined; // The server was killed.
  }
  written.get(ledger)?.add(reference);
  return reference;
}

/** Creates a payment. */
async function pay(): Promise<void> {
  const reference = `payment-${++sequence}`;
  const amount = { asset: "EUR/2", amount: sequence };
  const createdAt = new Date().toISOString();
  const body = {
    reference,
    connectorID,
    createdAt,
    type: "PAY-IN",
    scheme: "OTHER",
    ...amount,
    initialAmount: sequence,
    adjustments: [{ reference, createdAt, status: "SUCCEEDED", ...amount }],
  };
  try {
    await server.json("/api/payments/v3/payments", { body });
  } catch {
    return; // The server was killed.
  }
  paid.add(reference);
}

/** Writes at a steady rate until a signal. */
async function write(signal: AbortSignal): Promise<void> {
  const under = new Set<Promise<unknown>>();
  while (!signal.aborted) {
    const ledger = LEDGERS[sequence % LEDGERS.length] ?? "";
    const write = sequence % PAYMENT_EVERY === 0 ? pay() : commit(ledger);
    const call = write.finally(() => under.delete(call));
    under.add(call);
    await delay(1000 / WRITES_PER_SECOND);
  }
  await Promise.all(under);
}

async function search(body: object): Promise<Page["cursor"]> {
  return ((await server.json("/api/search/", { body })) as Page).cursor;
}

/** The references of all transactions of a ledger, from a list that has pages. */
async function collect(read: (cursor: string | undefined) => Promise<Page["cursor"]>) {
  const references: string[] = [];
  for (let cursor: string | undefined; ;) {
    const { data, next } = await read(cursor);
    references.push(...data.flatMap(({ reference }) => reference ?? []));
    if (next === "") return references.toSorted();
    cursor = next;
  }
}

const found = (ledger: string) =>
  collect((cursor) =>
    search(
      cursor === undefined
        ? { target: "TRANSACTION", ledgers: [ledger], pageSize: 100 }
        : { cursor },
    ),
  );

const foundPayments = () =>
  collect((cursor) =>
    search(cursor === undefined ? { target: "PAYMENT", pageSize: 100 } : { cursor }),
  );

const listedAt = (path: string) =>
  collect(async (cursor) => {
    const query = cursor === undefined ? "pageSize=1000" : `cursor=${cursor}`;
    return ((await server.json(`${path}?${query}`)) as Page).cursor;
  });

/** Expects that the index soon has exactly what is listed, which has everything that was acknowledged. */
async function expectIndexed(
  acknowledged: ReadonlySet<string>,
  { path, find }: { path: string; find: () => Promise<string[]> },
): Promise<void> {
  const expected = await listedAt(path);
  const stored = new Set(expected);
  expect([...acknowledged].filter((reference) => !stored.has(reference))).toEqual([]);
  const deadline = Date.now() + 120_000;
  let actual = await find();
  while (actual.length < expected.length && Date.now() < deadline) {
    await delay(200);
    actual = await find();
  }
  expect(actual).toEqual(expected);
}

test(
  "a new transaction is found within three seconds while others are written",
  { timeout: TIMEOUT_MS },
  async () => {
    const stop = new AbortController();
    const writing = write(stop.signal);
    const times: number[] = [];
    for (let at = 0; at < FRESH; at++) {
      const ledger = LEDGERS[at % LEDGERS.length] ?? "";
      const reference = await commit(ledger);
      const startedMs = performance.now();
      const query = { target: "TRANSACTION", terms: [`reference=${reference}`] };
      while ((await search(query)).data.length === 0) await delay(20);
      times.push(performance.now() - startedMs);
    }
    stop.abort();
    await writing;
    times.sort((a, b) => a - b);
    process.stdout.write(
      `found after ${times[FRESH >> 1]?.toFixed(0)} ms in the median, ${times.at(-1)?.toFixed(0)} ms at most\n`,
    );
    expect(times.at(-1)).toBeLessThan(FRESH_MS_MAX);
  },
);

test(
  "the index has exactly the transactions and payments that are stored, however often the server is killed",
  { timeout: TIMEOUT_MS },
  async () => {
    for (let kill = 1; kill <= KILLS; kill++) {
      const stop = new AbortController();
      const writing = write(stop.signal);
      await delay(ROUND_MS * (0.5 + Math.random()));
      await (kill % 2 === 0 ? server.killParent() : server.killAll());
      stop.abort();
      await writing;
      server = await LocalServer.start(folder);
    }
    for (const ledger of LEDGERS) {
      const path = `/api/ledger/v2/${ledger}/transactions`;
      const find = () => found(ledger);
      await expectIndexed(written.get(ledger) ?? new Set(), { path, find });
    }
    expect(paid.size).toBeGreaterThan(0);
    await expectIndexed(paid, { path: "/api/payments/v3/payments", find: foundPayments });
  },
);
