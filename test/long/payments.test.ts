import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { FaultPlan } from "#scripts/generic-psp/faults.ts";
import { Provider } from "#scripts/generic-psp/provider.ts";
import { ProviderServer } from "#scripts/generic-psp/server.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";
import { eventually } from "#test/support/platform/eventually.ts";
import { freshFolder, LocalServer } from "#test/support/platform/server.ts";

/** The number of rounds. Each round kills the server, every other round also its runtime. */
const ROUNDS = Number(process.env["KILL_ROUNDS"] ?? 30);
const PAYOUTS_PER_ROUND = 2;
const PAYMENTS_PER_ROUND = 20;
const FAULT_RATE = 0.1;
const LEDGER = "mirror";
/** The provider's balance at the beginning, which no payment explains. */
const OPENING_BALANCE = 1_000_000n;
const provider = new Provider({ seed: 5, accounts: 8, beneficiaries: 3, transactions: 200 });
const faults = new FaultPlan({ seed: 5, rate: FAULT_RATE });
const folder = freshFolder();
const references: string[] = [];
let psp: ProviderServer;
let server: LocalServer;
let connectorID: string;
let bookingPath: string;

const start = (): Promise<LocalServer> =>
  LocalServer.start(folder, { FLORIN_PAYMENTS_POLLING_PERIOD_MIN: "100ms" });

const read = async <S extends z.ZodType>(path: string, schema: S): Promise<z.output<S>> =>
  schema.parse(await server.json(path));

beforeAll(async () => {
  psp = await ProviderServer.start(provider, { apiKey: "key", faults });
  server = await start();
  const config = { name: "faulty", apiKey: "key", endpoint: psp.url, pollingPeriod: "1s" };
  const installed = await server.json("/api/payments/v3/connectors/install/generic", {
    body: config,
  });
  connectorID = z.object({ data: z.string() }).parse(installed).data;
  await server.json(`/api/ledger/v2/${LEDGER}`, { method: "POST" });
  await server.json(`/api/ledger/v2/${LEDGER}/schemas/v1`, {
    body: MIRROR_SCHEMA,
  });
  const booking = await server.json("/api/florin/v1/payments/bookings", {
    body: { connectorID, ledger: LEDGER, schemaVersion: "v1", template: "mirror" },
  });
  const { id } = z.object({ data: z.object({ id: z.string() }) }).parse(booking).data;
  bookingPath = `/api/florin/v1/payments/bookings/${id}`;
});

afterAll(async () => {
  await server?.killAll();
  await psp?.stop();
});

test(
  "each item arrives once, money moves once and everything is booked, whatever fails",
  { timeout: 3_600_000 },
  async () => {
    for (let round = 0; round < ROUNDS; round++) {
      provider.receive(PAYMENTS_PER_ROUND);
      await Promise.all([payOut(round), restart(round)]);
    }
    faults.rate = 0;
    await eventually(assertMovements);
    await eventually(assertPayments);
    await eventually(assertBooked);
  },
);

/** Creates payouts. Requests that a kill has cut off are repeated with their reference. */
async function payOut(round: number): Promise<void> {
  for (let number = 0; number < PAYOUTS_PER_ROUND; number++) {
    const reference = `payout-${round}-${number}`;
    references.push(reference);
    while (!(await isAsked(reference))) await delay(200);
  }
}

async function isAsked(reference: string): Promise<boolean> {
  try {
    const accounts = await read(
      `/api/payments/v3/accounts?pageSize=1000`,
      z.object({
        cursor: z.object({ data: z.array(z.object({ id: z.string(), reference: z.string() })) }),
      }),
    );
    const idOf = (wanted: string) => accounts.cursor.data.find((it) => it.reference === wanted)?.id;
    const [asset] = provider.accounts[0]?.balances.keys() ?? [];
    const [sourceAccountID, destinationAccountID] = [idOf("acc-001"), idOf("ben-001")];
    if (sourceAccountID === undefined || destinationAccountID === undefined) return false;
    const answer = await server.api("/api/payments/v3/payment-initiations?noValidation=true", {
      body: {
        reference,
        connectorID,
        description: "",
        type: "PAYOUT",
        amount: 7,
        asset,
        sourceAccountID,
        destinationAccountID,
      },
    });
    const text = await answer.text();
    return answer.status === 202 || text.includes("CONFLICT");
  } catch {
    return false; // a request fails while the server is killed
  }
}

/** Kills the server while it works, and starts it again. */
async function restart(round: number): Promise<void> {
  await delay(300 + ((round * 337) % 1700));
  await (round % 2 === 0 ? server.killParent() : server.killAll());
  server = await start();
}

const Initiations = z.object({
  cursor: z.object({ data: z.array(z.object({ reference: z.string(), status: z.string() })) }),
});

/** Asserts that all initiations are processed, and that the provider has moved the money of each once. */
async function assertMovements(): Promise<void> {
  const { cursor } = await read("/api/payments/v3/payment-initiations?pageSize=1000", Initiations);
  const statuses = Object.fromEntries(cursor.data.map((it) => [it.reference, it.status]));
  expect(statuses).toEqual(Object.fromEntries(references.map((it) => [it, "PROCESSED"])));
  expect(provider.movements.map((it) => it.idempotencyKey).toSorted()).toEqual(
    references.toSorted(),
  );
}

const Payments = z.object({
  cursor: z.object({
    hasMore: z.boolean(),
    next: z.string(),
    data: z.array(
      z.object({ id: z.string(), reference: z.string(), type: z.string(), amount: z.int() }),
    ),
  }),
});

async function allPayments() {
  const payments = [];
  for (let path = "pageSize=1000"; path !== "";) {
    const { cursor } = await read(`/api/payments/v3/payments?${path}`, Payments);
    payments.push(...cursor.data);
    path = cursor.hasMore ? `pageSize=1000&cursor=${cursor.next}` : "";
  }
  return payments;
}

/** Asserts that the payments are those of the provider, with the amounts that are left of them. */
async function assertPayments(): Promise<void> {
  const expected = new Map<string, bigint>();
  for (const { id, relatedTransactionID, status, amount } of provider.transactions) {
    const key = relatedTransactionID ?? id;
    const before = expected.get(key) ?? 0n;
    expected.set(key, status === "REFUNDED" ? before - amount : before + amount);
  }
  const payments = await allPayments();
  expect(payments).toHaveLength(expected.size);
  expect(new Map(payments.map((it) => [it.reference, BigInt(it.amount)]))).toEqual(expected);
}

const Booking = z.object({
  data: z.object({ booked: z.int(), failed: z.int(), pending: z.int() }),
});
const Account = z.object({
  data: z.object({ volumes: z.record(z.string(), z.object({ balance: z.int() })).optional() }),
});

/** Asserts that each state of a payment is booked once, and that the ledger has the provider's balances. */
async function assertBooked(): Promise<void> {
  const { data } = await read(bookingPath, Booking);
  expect(data).toEqual({ booked: provider.transactions.length, failed: 0, pending: 0 });
  const json = z.object({ Reference: z.string() });
  const { Reference: uuid } = json.parse(
    JSON.parse(Buffer.from(connectorID, "base64url").toString()),
  );
  for (const { id, balances } of provider.accounts) {
    const address = `payments:generic-${uuid.slice(0, 8)}:${id}`;
    const path = `/api/ledger/v2/${LEDGER}/accounts/${address}?expand=volumes`;
    const { volumes = {} } = (await read(path, Account)).data;
    for (const [asset, balance] of balances) {
      expect([id, BigInt(volumes[asset]?.balance ?? 0)]).toEqual([id, balance - OPENING_BALANCE]);
    }
  }
}
