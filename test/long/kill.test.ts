import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseJson } from "#platform/json.ts";
import { WebhookReceiver } from "#scripts/lib/receiver.ts";
import { KillLoad, METADATA_ACCOUNT } from "#test/support/ledger/kill-load.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The number of rounds. Every other round kills the server alone, the others also its runtime. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 20);
const CLIENTS = 8;
const LEDGER = "killed";
const PATH = `/api/ledger/v2/${LEDGER}`;
/** Deliveries that a kill has cut off are repeated after a minute and a half, far below this limit. */
const EVENTS_TIMEOUT_MS = 300_000;

const folder = freshFolder();
const load = new KillLoad(LEDGER);
let receiver: WebhookReceiver;
let server: LocalServer;

const start = (): Promise<LocalServer> =>
  LocalServer.start(folder, { FLORIN_WEBHOOK_RETRY_MIN_BACKOFF: "1s" });

beforeAll(async () => {
  receiver = await WebhookReceiver.open();
  server = await start();
  await server.api(PATH, { method: "POST" });
  const eventTypes = ["ledger.committed_transactions", "ledger.saved_metadata"];
  const body = { endpoint: receiver.url, eventTypes };
  const config = (await server.json("/api/webhooks/configs", { body })) as {
    data: { secret: string };
  };
  receiver.expectSecret(config.data.secret);
});

afterAll(async () => {
  await server?.killAll();
  await receiver?.close();
});

test(
  "acknowledged writes are never lost, however the server is killed",
  { timeout: 1_800_000 },
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await Promise.all([load.run(server, CLIENTS), restart(round)]);
      await load.repeat(server);
      await assertComplete();
    }
    expect(load.transactions.size).toBeGreaterThan(ROUNDS * CLIENTS);
    const { transactions, metadata } = await assertComplete();
    await assertDelivered([
      ...transactions.map(({ id }) => `transaction ${id}`),
      ...metadata.map((key) => `metadata ${key}`),
    ]);
  },
);

/** Kills the server while it works, and starts it again. */
async function restart(round: number): Promise<void> {
  await delay(100 + ((round * 337) % 900)); // the two numbers have no common divisor, so that the delay varies
  await (round % 2 === 0 ? server.killParent() : server.killAll());
  server = await start();
  load.stop();
}

interface Transaction {
  readonly id: number;
  readonly reference: string;
  readonly postings: readonly Posting[];
}
interface Posting {
  readonly source: string;
  readonly destination: string;
  readonly amount: number | bigint;
  readonly asset: string;
}
interface Account {
  readonly address: string;
  /** The volumes of the account; absent if it has no postings. */
  readonly volumes?: Readonly<Record<string, Volumes>>;
}
interface Volumes {
  readonly input: number | bigint;
  readonly output: number | bigint;
}

/** Asserts that acknowledged writes are stored once, and that volumes agree with the stored transactions. */
async function assertComplete(): Promise<{ transactions: Transaction[]; metadata: string[] }> {
  const transactions = await listAll<Transaction>(`${PATH}/transactions?pageSize=1000`);
  const references = transactions.map(({ reference }) => reference);
  expect(new Set(references).size).toBe(references.length);
  expect(load.transactions.difference(new Set(references))).toEqual(new Set());

  const accounts = await listAll<Account>(`${PATH}/accounts?pageSize=1000&expand=volumes`);
  expect(storedVolumes(accounts)).toEqual(replay(transactions));

  const { data } = (await server.json(`${PATH}/accounts/${METADATA_ACCOUNT}`)) as {
    data: { metadata: Record<string, string> };
  };
  const metadata = Object.keys(data.metadata);
  expect(load.metadata.difference(new Set(metadata))).toEqual(new Set());
  return { transactions, metadata };
}

async function listAll<T>(path: string): Promise<T[]> {
  const items: T[] = [];
  let next = path;
  while (next !== "") {
    const { cursor } = (await server.json(next)) as { cursor: { next: string; data: T[] } };
    items.push(...cursor.data);
    next = cursor.next === "" ? "" : `${path}&cursor=${cursor.next}`;
  }
  return items;
}

/** Input and output by account and asset. */
type Totals = Record<string, { input: bigint; output: bigint }>;

function storedVolumes(accounts: readonly Account[]): Totals {
  return Object.fromEntries(
    accounts.flatMap(({ address, volumes = {} }) =>
      Object.entries(volumes).map(([asset, { input, output }]) => [
        `${address} ${asset}`,
        { input: BigInt(input), output: BigInt(output) },
      ]),
    ),
  );
}

function replay(transactions: readonly Transaction[]): Totals {
  const totals: Totals = {};
  for (const { source, destination, amount, asset } of transactions.flatMap((tx) => tx.postings)) {
    (totals[`${source} ${asset}`] ??= { input: 0n, output: 0n }).output += BigInt(amount);
    (totals[`${destination} ${asset}`] ??= { input: 0n, output: 0n }).input += BigInt(amount);
  }
  return totals;
}

/** Asserts that each expected event arrives with a signature. */
async function assertDelivered(expected: readonly string[]): Promise<void> {
  const deadline = Date.now() + EVENTS_TIMEOUT_MS;
  const missing = (): Set<string> =>
    new Set(expected).difference(new Set(receiver.deliveries.map(({ body }) => subjectOf(body))));
  while (missing().size > 0 && Date.now() < deadline) await delay(1000);
  expect(missing()).toEqual(new Set());
  expect(receiver.deliveries.filter(({ isSigned }) => !isSigned)).toEqual([]);
}

/** The reference of the transaction, or the metadata key, that an event is about. */
function subjectOf(body: string): string {
  const { payload } = parseJson(body) as {
    payload: { transactions?: { id: number }[]; metadata?: Record<string, string> };
  };
  const [transaction] = payload.transactions ?? [];
  return transaction === undefined
    ? `metadata ${Object.keys(payload.metadata ?? {}).join()}`
    : `transaction ${transaction.id}`;
}
