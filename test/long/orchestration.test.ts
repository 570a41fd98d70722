import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The number of instances, and of instances that are started between two kills. */
const INSTANCES = Number(process.env["FLOW_INSTANCES"] ?? 200);
const INSTANCES_PER_ROUND = 10;
/** An instance that a kill has cut off goes on within a minute. */
const END_MS_MAX = 300_000;
const folder = freshFolder();
const API = "/api/orchestration/v2";
let server: LocalServer;
let wallet = "";

const start = () => LocalServer.start(folder);
const Created = z.object({ data: z.object({ id: z.string() }) });
const Posting = z.object({ source: z.string(), destination: z.string(), amount: z.int() });

const account = (id: string, ledger: string) => ({ account: { id, ledger } });
const amount = { amount: "${amount}", asset: "EUR/2" };
const send = (source: object, destination: object) => ({ send: { source, destination, amount } });

interface Kind {
  readonly stages: readonly object[];
  /** The ledgers of the transactions of an instance. */
  readonly ledgers: readonly string[];
  id: string;
}

/** Five kinds of instances. Each knows in which ledgers it moves its amount. */
let kinds: readonly Kind[] = [];

beforeAll(async () => {
  server = await start();
  for (const ledger of ["shop", "bank"]) {
    await server.json(`/api/ledger/v2/${ledger}`, { method: "POST" });
  }
  wallet = await idOf("/api/wallets/wallets", { name: "kills", metadata: {} });
  const { connector, source, payee } = await installDummypay();
  await server.json("/api/ledger/v2/shop/accounts/payer/metadata", {
    body: { formanceAccountID: payee },
  });
  const opening = { source: "world", destination: "payer", amount: 1_000_000, asset: "EUR/2" };
  await server.json("/api/ledger/v2/shop/transactions", { body: { postings: [opening] } });
  kinds = [
    kind(["shop"], send(account("world", "shop"), account("sink:0", "shop")), { noop: {} }),
    kind(
      ["shop", "bank"],
      { delay: { duration: "700ms" } },
      send(account("world", "shop"), account("sink:1", "bank")),
    ),
    kind(["shop"], send(account("world", "shop"), { wallet: { id: wallet } })),
    kind(
      ["bank", "shop"],
      send(account("world", "bank"), account("sink:3", "bank")),
      { wait_event: { event: "go" } },
      send(account("world", "shop"), account("sink:3", "shop")),
    ),
    kind(
      ["shop"],
      send(account("payer", "shop"), {
        payment: {
          psp: "dummypay",
          type: "PAYOUT",
          connectorId: connector,
          sourceAccount: source,
        },
      }),
    ),
  ];
  for (const it of kinds) it.id = await idOf(`${API}/workflows`, { stages: it.stages });
});

afterAll(async () => {
  await server?.killAll();
});

const kind = (ledgers: readonly string[], ...stages: readonly object[]): Kind => ({
  stages,
  ledgers,
  id: "",
});

async function idOf(path: string, body: object): Promise<string> {
  return Created.parse(await server.json(path, { body })).data.id;
}

async function installDummypay(): Promise<Record<"connector" | "source" | "payee", string>> {
  const config = { name: "kills", directory: "kills", pollingPeriod: "30m" };
  const installed = await server.json("/api/payments/v3/connectors/install/dummypay", {
    body: config,
  });
  const connector = z.object({ data: z.string() }).parse(installed).data;
  const accountOf = (reference: string, type: "INTERNAL" | "EXTERNAL") =>
    idOf("/api/payments/v3/accounts", {
      reference,
      accountName: reference,
      connectorID: connector,
      type,
      createdAt: "2026-01-01T00:00:00Z",
      metadata: {},
    });
  return {
    connector,
    source: await accountOf("main", "INTERNAL"),
    payee: await accountOf("payee", "EXTERNAL"),
  };
}

test(
  "every instance ends, no money moves twice and the history is complete, whatever is killed",
  { timeout: 3_600_000 },
  async () => {
    for (let from = 0; from < INSTANCES; from += INSTANCES_PER_ROUND) {
      await Promise.all([startSome(from), restart(from / INSTANCES_PER_ROUND)]);
    }
    await endAll();
    const instances = await allInstances();
    // A start that a kill has cut off may have been stored without an answer.
    expect(instances.length).toBeGreaterThanOrEqual(INSTANCES);
    let credited = 0;
    for (const instance of instances) {
      const moved = await assertComplete(instance);
      if (instance.workflowID === kinds[2]?.id) credited += moved;
    }
    await assertCredited(credited);
    await assertPaid(instances.filter(({ workflowID }) => workflowID === kinds[4]?.id).length);
  },
);

/** Starts instances of all kinds. Starts that a kill has cut off are repeated, so that there may be more instances. */
async function startSome(from: number): Promise<void> {
  for (let number = from; number < from + INSTANCES_PER_ROUND; number++) {
    const path = `${API}/workflows/${kinds[number % kinds.length]?.id}/instances`;
    while (!(await isAccepted(path, { amount: String(number + 1) }))) await delay(200);
  }
}

async function isAccepted(path: string, body: object): Promise<boolean> {
  try {
    return (await server.api(path, { body })).ok;
  } catch {
    return false; // a request fails while the server is killed
  }
}

/** Kills the server while it works, and starts it again. */
async function restart(round: number): Promise<void> {
  await delay(200 + ((round * 337) % 1500));
  await (round % 2 === 0 ? server.killAll() : server.killParent());
  server = await start();
}

const Instance = z.object({
  id: z.string(),
  workflowID: z.string(),
  terminated: z.boolean(),
  error: z.string().optional(),
});
type Instance = z.output<typeof Instance>;

const listed = async (query: string): Promise<Instance[]> =>
  z
    .object({ data: z.array(Instance) })
    .parse(await server.json(`/api/orchestration/instances${query}`)).data;
const allInstances = () => listed("");

/** Sends instances the event that they wait for until all have ended. */
async function endAll(): Promise<void> {
  const untilMs = Date.now() + END_MS_MAX;
  for (;;) {
    const running = await listed("?running=true");
    if (running.length === 0) return;
    expect([Date.now() < untilMs, running.slice(0, 5)]).toEqual([true, expect.anything()]);
    for (const { id, workflowID } of running) {
      if (workflowID !== kinds[3]?.id) continue;
      await server.api(`${API}/instances/${id}/events`, { body: { name: "go" } });
    }
    await delay(1000);
  }
}

const Moments = z.object({
  data: z.array(z.object({ kind: z.string(), stage: z.int().optional() })),
});
const Activities = z.object({
  data: z.array(z.object({ terminated: z.boolean(), error: z.string().optional() })),
});
const Transactions = z.object({
  cursor: z.object({ data: z.array(z.object({ postings: z.array(Posting) })) }),
});

/**
 * Asserts that an instance has succeeded, that it has moved its amount once in each of its ledgers, and that its history says
 * so. Returns the amount.
 */
async function assertComplete({ id, workflowID, error }: Instance): Promise<number> {
  expect([id, error]).toEqual([id, undefined]);
  const { stages, ledgers } = kinds.find((it) => it.id === workflowID) ?? kind([]);
  const { data } = Moments.parse(await server.json(`/api/florin/v1/instances/${id}/timeline`));
  for (const [number] of stages.entries()) {
    const of = data.filter(({ stage }) => stage === number).map((moment) => moment.kind);
    expect(of.filter((it) => it === "stage-started" || it === "stage-succeeded")).toEqual([
      "stage-started",
      "stage-succeeded",
    ]);
    const path = `${API}/instances/${id}/stages/${number}/history`;
    const activities = Activities.parse(await server.json(path)).data;
    expect(activities.filter((it) => !it.terminated || it.error !== undefined)).toEqual([]);
  }
  expect([data[0]?.kind, data.at(-1)?.kind]).toEqual(["instance-started", "instance-succeeded"]);
  const amounts = new Set<number>();
  for (const ledger of ledgers) {
    const query = encodeURIComponent(
      JSON.stringify({ $match: { "metadata[orchestration/instance]": id } }),
    );
    const found = await server.json(`/api/ledger/v2/${ledger}/transactions?query=${query}`);
    const transactions = Transactions.parse(found).cursor.data;
    expect([id, ledger, transactions.length]).toEqual([id, ledger, 1]);
    for (const { postings } of transactions) for (const it of postings) amounts.add(it.amount);
  }
  expect([id, amounts.size]).toEqual([id, 1]);
  return [...amounts][0] ?? 0;
}

/** Asserts that the wallet has got each amount once. */
async function assertCredited(total: number): Promise<void> {
  const Wallet = z.object({
    data: z.object({
      balances: z.object({ main: z.object({ assets: z.record(z.string(), z.int()) }) }),
    }),
  });
  const { data } = Wallet.parse(await server.json(`/api/wallets/wallets/${wallet}`));
  expect(data.balances.main.assets).toEqual({ "EUR/2": total });
}

/** Asserts that each of `count` instances has paid out once. */
async function assertPaid(count: number): Promise<void> {
  const Initiations = z.object({
    cursor: z.object({ data: z.array(z.object({ reference: z.string(), status: z.string() })) }),
  });
  const path = "/api/payments/v3/payment-initiations?pageSize=1000";
  const untilMs = Date.now() + END_MS_MAX;
  for (;;) {
    const { data } = Initiations.parse(await server.json(path)).cursor;
    const isDone = data.every(({ status }) => status === "PROCESSED" || status === "FAILED");
    if (!isDone && Date.now() < untilMs) {
      await delay(1000);
      continue;
    }
    expect(data.filter(({ status }) => status !== "PROCESSED")).toEqual([]);
    expect(new Set(data.map(({ reference }) => reference)).size).toBe(count);
    const payments = await server.json("/api/payments/v3/payments?pageSize=1000");
    const { cursor } = z
      .object({ cursor: z.object({ data: z.array(z.object({ reference: z.string() })) }) })
      .parse(payments);
    // The provider also lists payouts of other tests.
    const asked = new Set(data.map(({ reference }) => reference));
    const paid = cursor.data.filter(({ reference }) => asked.has(reference));
    expect(paid).toHaveLength(count);
    return;
  }
}
