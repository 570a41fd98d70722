import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The number of events, each for one of the triggers, and the number of events a second. */
const EVENTS = Number(process.env["TRIGGER_EVENTS"] ?? 10_000);
const EVENTS_PER_SECOND = Number(process.env["TRIGGER_EVENTS_PER_SECOND"] ?? 20);
const TRIGGERS = 50;
/** The number of kills, and of events that come between them. */
const KILLS = 5;
const EVENTS_PER_KILL = 20;
const SETTLE_MS = 120_000;
const LEDGER = "events";
const folder = freshFolder();
const triggers: string[] = [];
let server: LocalServer;

const Created = z.object({ data: z.object({ id: z.string() }) });
const OccurrencePage = z.object({
  cursor: z.object({
    hasMore: z.boolean(),
    next: z.string(),
    data: z.array(
      z.object({
        date: z.string(),
        workflowInstance: z.object({ createdAt: z.string() }),
        event: z.object({
          payload: z.object({
            transactions: z.array(z.object({ id: z.int(), insertedAt: z.string() })).length(1),
          }),
        }),
      }),
    ),
  }),
});

interface Firing {
  readonly trigger: number;
  readonly transaction: number;
  /** Milliseconds from the commit to the occurrence, and from the commit to the start of the instance. */
  readonly storedMs: number;
  readonly startedMs: number;
}

beforeAll(async () => {
  server = await LocalServer.start(folder);
  await server.json(`/api/ledger/v2/${LEDGER}`, { method: "POST" });
  const body = { name: "nothing", stages: [{ noop: {} }] };
  const workflow = Created.parse(await server.json("/api/orchestration/v2/workflows", { body }));
  for (let number = 0; number < TRIGGERS; number++) {
    const trigger = {
      event: "COMMITTED_TRANSACTIONS",
      filter: `event.ledger == "${LEDGER}" and event.transactions[0].metadata.kind == "k${number}"`,
      vars: { amount: "event.transactions[0].postings[0].amount" },
      workflowID: workflow.data.id,
    };
    const created = await server.json("/api/orchestration/v2/triggers", { body: trigger });
    triggers.push(Created.parse(created).data.id);
  }
});

afterAll(async () => {
  await server?.killAll();
});

/** Commits a transaction for one of the triggers. A repetition has its idempotency key, and commits nothing more. */
const commit = (number: number): Promise<unknown> =>
  server.json(`/api/ledger/v2/${LEDGER}/transactions`, {
    headers: { "idempotency-key": `event-${number}` },
    body: {
      postings: [{ source: "world", destination: `users:${number}`, asset: "EUR/2", amount: 1 }],
      metadata: { kind: `k${number % TRIGGERS}` },
    },
  });

async function firings(): Promise<Firing[]> {
  const found: Firing[] = [];
  for (const [trigger, id] of triggers.entries()) {
    let query = "pageSize=100";
    for (;;) {
      const path = `/api/orchestration/v2/triggers/${id}/occurrences?${query}`;
      const { cursor } = OccurrencePage.parse(await server.json(path));
      for (const { date, event, workflowInstance } of cursor.data) {
        const [transaction] = event.payload.transactions;
        if (transaction === undefined) continue;
        const committedMs = Date.parse(transaction.insertedAt);
        found.push({
          trigger,
          transaction: transaction.id,
          storedMs: Date.parse(date) - committedMs,
          startedMs: Date.parse(workflowInstance.createdAt) - committedMs,
        });
      }
      if (!cursor.hasMore) break;
      query = `cursor=${cursor.next}`;
    }
  }
  return found;
}

/** Waits until `count` triggers have fired, and a while longer. */
async function settled(count: number): Promise<Firing[]> {
  const endMs = Date.now() + SETTLE_MS;
  let found = await firings();
  while (found.length < count && Date.now() < endMs) {
    await delay(2000);
    found = await firings();
  }
  await delay(2000);
  return firings();
}

/** Asserts that each transaction has fired exactly the trigger that is set on it. */
function assertOnce(found: readonly Firing[], count: number): void {
  const transactions = found.map(({ transaction }) => transaction);
  expect(new Set(transactions).size).toBe(count);
  expect(found).toHaveLength(count);
}

function quantiles(latencies: readonly number[]): string {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${sorted.at(-1)} ms`;
}

test(
  "each event fires the trigger that is set on it, once and soon",
  { timeout: 3_600_000 },
  async () => {
    const startMs = Date.now();
    const commits: Promise<unknown>[] = [];
    for (let number = 0; number < EVENTS; number++) {
      const dueMs = startMs + (number * 1000) / EVENTS_PER_SECOND;
      if (dueMs > Date.now()) await delay(dueMs - Date.now());
      commits.push(commit(number));
    }
    await Promise.all(commits);
    const found = await settled(EVENTS);

    assertOnce(found, EVENTS);
    process.stdout.write(
      `from commit to occurrence: ${quantiles(found.map(({ storedMs }) => storedMs))}\n` +
        `from commit to start: ${quantiles(found.map(({ startedMs }) => startedMs))}\n`,
    );
  },
);

test("each event fires once while the server is killed", { timeout: 3_600_000 }, async () => {
  for (let kill = 0; kill < KILLS; kill++) {
    const first = EVENTS + kill * EVENTS_PER_KILL;
    const numbers = Array.from({ length: EVENTS_PER_KILL }, (_, index) => first + index);
    const commits = numbers.map((number) => commit(number).catch(() => undefined));
    await delay(100 + 150 * kill);
    await server.killAll();
    await Promise.all(commits);
    server = await LocalServer.start(folder);
    for (const number of numbers) await commit(number);
  }
  const count = EVENTS + KILLS * EVENTS_PER_KILL;

  assertOnce(await settled(count), count);
});
