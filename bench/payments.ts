import type { ReadFigures } from "./reads/measure.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { PAYMENT_SCHEMES, PAYMENT_STATUSES } from "#modules/payments/core/enums.ts";
import { encodeConnectorId, encodeOwnedId, encodePaymentId } from "#modules/payments/core/ids.ts";
import type { PreparedPage } from "#modules/payments/ingest.ts";
import { listPayments } from "#modules/payments/payments/list.ts";
import { OutboxStore } from "#platform/events/outbox-store.ts";
import { stringifyJson } from "#platform/json.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";
import { IngestWorld } from "#test/support/payments/ingest-world.ts";
import { at, payment } from "#test/support/payments/provider-objects.ts";

export const PAYMENTS_NAME = "payments";

export interface PaymentsReport {
  readonly count: number;
  /** Payments that are prepared and stored with their events in a second, in pages of one connector. */
  readonly storedPerSecond: number;
  readonly figures: readonly ReadFigures[];
}

const COUNT = 200_000;
const ITEMS_PER_PAGE = 100;
const LIMIT_MS = 50;
const RUNS = 7;

/** Measures a page of each list of payments, and how fast pages of a provider are stored, on `node:sqlite`. */
export async function measurePayments(): Promise<PaymentsReport> {
  const world = new IngestWorld();
  const startMs = performance.now();
  for (let first = 0; first < COUNT; first += ITEMS_PER_PAGE) {
    const page = Array.from({ length: ITEMS_PER_PAGE }, (_, place) => paymentAt(first + place));
    await store(world, await world.preparePayments(page));
  }
  const seconds = (performance.now() - startMs) / 1000;
  const figures: ReadFigures[] = [];
  for (const [name, where] of filtersOf(world)) {
    for (const isDeep of [false, true]) {
      const query = queryOf(where, isDeep);
      const run = () => listPayments(world.context, query);
      figures.push(await measured(`${name}, ${isDeep ? "middle" : "first"} page`, run));
    }
  }
  return { count: COUNT, storedPerSecond: COUNT / seconds, figures };
}

/** Stores a page with its events, which are confirmed at once. */
async function store(world: IngestWorld, { statements, events }: PreparedPage): Promise<void> {
  const outbox = new OutboxStore(world.d1.db);
  await world.d1.db.batch([outbox.insert(events, at(60)), ...statements]);
  await outbox.remove(events.map(({ event }) => event.id));
}

function paymentAt(place: number): ProviderPayment {
  return payment(`pay_${place}`, {
    createdAt: at((place * 7919) % COUNT),
    amount: BigInt(place % 100_000),
    type: place % 3 === 0 ? "PAYOUT" : "PAY-IN",
    // The last ones of both sets have no payment.
    status: PAYMENT_STATUSES[place % (PAYMENT_STATUSES.length - 1)] ?? "OTHER",
    scheme: PAYMENT_SCHEMES[place % (PAYMENT_SCHEMES.length - 1)] ?? "OTHER",
    sourceReference: `acct_${place % 1000}`,
    destinationReference: `acct_${place % 77}`,
    metadata: { order: `${place}`, channel: "web" },
  });
}

/** Filters that fit most payments, one, and none. */
function filtersOf({ connector, other }: IngestWorld): [name: string, filter?: object][] {
  const accountOf = (reference: string) => encodeOwnedId({ connector: connector.id, reference });
  const id = encodePaymentId({ connector: connector.id, reference: "pay_777", type: "PAYOUT" });
  const match = (key: string, value: string) => ({ $match: { [key]: value } });
  return [
    ["all"],
    ["an id", match("id", id)],
    ["a reference", match("reference", "pay_777")],
    ["a connector", match("connector_id", encodeConnectorId(connector.id))],
    ["a connector without payments", match("connector_id", encodeConnectorId(other.id))],
    ["a type", match("type", "PAYOUT")],
    ["an asset without payments", match("asset", "USD/2")],
    ["a scheme without payments", match("scheme", "OTHER")],
    ["a status without payments", match("status", "OTHER")],
    ["a source", match("source_account_id", accountOf("acct_999"))],
    ["a source without payments", match("source_account_id", accountOf("none"))],
    ["a destination without payments", match("destination_account_id", accountOf("none"))],
    ["a user without payments", match("psu_id", "none")],
    ["a connection without payments", match("open_banking_connection_id", "none")],
    ["an amount that none has", { $gt: { amount: 1_000_000 } }],
    ["an initial amount that none has", { $lt: { initial_amount: 0 } }],
    ["metadata of one", match("metadata[order]", "777")],
    ["metadata of none", match("metadata[order]", "none")],
    ["metadata of all", match("metadata[channel]", "web")],
    ["none of several", { $and: [match("status", "FAILED"), { $gt: { amount: 1_000_000 } }] }],
  ];
}

const queryOf = (where: object | undefined, isDeep: boolean): PageQuery => ({
  kind: "column",
  column: "created_at",
  order: "desc",
  pageSize: 15,
  reverse: false,
  ...(where === undefined ? {} : { where: stringifyJson(where) }),
  ...(isDeep ? { start: { value: toMicros(at(COUNT / 2)), tie: 0n } } : {}),
});

/** The first run warms pages; it is not counted. */
async function measured(name: string, run: () => Promise<unknown>): Promise<ReadFigures> {
  await run();
  const timesMs: number[] = [];
  for (let runs = 0; runs < RUNS; runs++) {
    const startMs = performance.now();
    await run();
    timesMs.push(performance.now() - startMs);
  }
  timesMs.sort((a, b) => a - b);
  const [medianMs = 0, slowestMs = 0] = [timesMs[Math.floor(RUNS / 2)], timesMs.at(-1)];
  return { name, limitMs: LIMIT_MS, medianMs, slowestMs };
}
