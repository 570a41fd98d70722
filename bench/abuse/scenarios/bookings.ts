import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ClientProcess } from "../client.ts";
import type { Report } from "../report.ts";
import type { StreamResult } from "../streams.ts";
import { READ, type World, WRITE } from "../world.ts";
import { idOf } from "./ids.ts";
import type { BenchApi } from "#bench/api.ts";
import { percentiles } from "#bench/load/percentiles.ts";
import { MIRROR_SCHEMA } from "#test/support/payments/mirror.ts";

const ADJUSTMENTS = 22_004;
const PER_PAYMENT = 20;
const WRITERS = 8;
const READS_PER_SECOND = 50;
const WRITES_PER_SECOND = 10;
const QUIET_MS = 10_000;
/** Time of the measurement beside bookings, in milliseconds, longer than bookings may take. */
const BESIDE_MS = 20_000;
/** Time until the events of the payments are delivered, in milliseconds. */
const SETTLING_MS = 10_000;
const LOOK_MS = 100;

const BOOKINGS = "/api/florin/v1/payments/bookings";
const Booking = z.object({ data: z.object({ booked: z.number(), failed: z.number() }) });

/** Books the backlog of a connector in a ledger, beside reads and writes of another ledger. */
export async function abuseBookings(world: World): Promise<Report> {
  const client = new ClientProcess();
  const { abuser } = world;
  try {
    const booking = await prepare(abuser);
    const without = await ask(client, world, { name: "without bookings", durationMs: QUIET_MS });
    const startedMs = performance.now();
    await abuser.send("POST", `${BOOKINGS}/${booking}/resume`);
    const [beside, seconds] = await Promise.all([
      ask(client, world, { name: "beside bookings", durationMs: BESIDE_MS }),
      untilBooked(abuser, { booking, startedMs }),
    ]);
    await abuser.send("DELETE", `${BOOKINGS}/${booking}`);
    const slower = (index: number): number => slowest(beside[index]) - slowest(without[index]);
    const scenario = "bookings";
    const [reads, writes] = beside;
    return {
      figures: [
        {
          scenario,
          name: `seconds until ${ADJUSTMENTS} adjustments are booked`,
          value: seconds,
          unit: "s",
          most: 10,
        },
        {
          scenario,
          name: "slowest read beside bookings, less without",
          value: slower(0),
          unit: "ms",
          most: 100,
        },
        {
          scenario,
          name: "slowest write beside bookings, less without",
          value: slower(1),
          unit: "ms",
          most: 100,
        },
        {
          scenario,
          name: "p99 of a read beside bookings",
          value: percentiles(reads?.timesMs ?? []).p99Ms,
          unit: "ms",
        },
        {
          scenario,
          name: "p99 of a write beside bookings",
          value: percentiles(writes?.timesMs ?? []).p99Ms,
          unit: "ms",
        },
      ],
      streams: [...without, ...beside],
    };
  } finally {
    await client.stop();
  }
}

const slowest = (result: StreamResult | undefined): number =>
  Math.max(...(result?.timesMs ?? [Infinity]));

/** Reads and writes of the well-behaved client, at fixed rates. */
const ask = (
  client: ClientProcess,
  { healthy }: World,
  { name, durationMs }: { readonly name: string; readonly durationMs: number },
): Promise<StreamResult[]> => {
  const { url: origin, headers } = healthy;
  const streams = [
    { name: `reads ${name}`, pace: paceOf(READS_PER_SECOND), requests: [READ], headers },
    { name: `writes ${name}`, pace: paceOf(WRITES_PER_SECOND), requests: [WRITE], headers },
  ];
  return client.run({ origin, durationMs, streams });
};

const paceOf = (perSecond: number) => ({ kind: "rate", perSecond }) as const;

/** Makes a paused booking with all payments still to book, and returns its id. */
async function prepare(api: BenchApi): Promise<string> {
  const name = `booked-${randomBytes(6).toString("hex")}`;
  await api.createLedger(name);
  await api.send("POST", `/api/ledger/v2/${name}/schemas/v1`, JSON.stringify(MIRROR_SCHEMA));
  const installed = await api.send(
    "POST",
    "/api/payments/v3/connectors/install/dummypay",
    JSON.stringify({ name, directory: name }),
  );
  const { data: connectorID } = z.object({ data: z.string() }).parse(installed);
  const rules = { connectorID, ledger: name, schemaVersion: "v1", template: "mirror" };
  const booking = idOf(await api.send("POST", BOOKINGS, JSON.stringify(rules)));
  await api.send("POST", `${BOOKINGS}/${booking}/pause`);
  let stored = 0;
  const write = async (): Promise<void> => {
    while (stored < ADJUSTMENTS) {
      const first = stored;
      stored += PER_PAYMENT;
      const count = Math.min(PER_PAYMENT, ADJUSTMENTS - first);
      const payment = paymentAt({ first, count, connectorID });
      await api.send("POST", "/api/payments/v3/payments", JSON.stringify(payment));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, write));
  await delay(SETTLING_MS);
  return booking;
}

function paymentAt({
  first,
  count,
  connectorID,
}: {
  readonly first: number;
  readonly count: number;
  readonly connectorID: string;
}) {
  const state = { createdAt: "2026-03-01T09:30:00Z", amount: 1, asset: "EUR/2", metadata: {} };
  return {
    ...state,
    reference: `bench-${first}`,
    connectorID,
    type: "PAY-IN",
    scheme: "CARD_VISA",
    initialAmount: count,
    adjustments: Array.from({ length: count }, (_, place) => ({
      ...state,
      reference: `bench-${first + place}`,
      status: "CAPTURE",
    })),
  };
}

async function untilBooked(
  api: BenchApi,
  { booking, startedMs }: { readonly booking: string; readonly startedMs: number },
): Promise<number> {
  for (;;) {
    const { data } = Booking.parse(await api.send("GET", `${BOOKINGS}/${booking}`));
    const seconds = (performance.now() - startedMs) / 1000;
    if (data.failed > 0) throw new Error(`${data.failed} adjustments were refused`);
    // The connector also has a few payments of its own.
    if (data.booked >= ADJUSTMENTS) return seconds;
    if (seconds > 300) throw new Error(`only ${data.booked} adjustments are booked after 300 s`);
    await delay(LOOK_MS);
  }
}
