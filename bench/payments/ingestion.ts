import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { PAYMENT_SCHEMES, PAYMENT_STATUSES } from "#modules/payments/core/enums.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { OutboxStore } from "#platform/events/outbox-store.ts";
import { at, payment } from "#test/support/payments/provider-objects.ts";
import { IngestWorld } from "#test/support/payments/worlds/ingest-world.ts";

const PAYMENTS = 50_000;
const PAYMENTS_PER_PAGE = 100;

/** The rate at which payments are prepared and stored with their events, a second, in pages of one connector. */
export async function measureIngestion(): Promise<number> {
  const world = new IngestWorld();
  const startMs = performance.now();
  for (let first = 0; first < PAYMENTS; first += PAYMENTS_PER_PAGE) {
    const page = Array.from({ length: PAYMENTS_PER_PAGE }, (_, place) => paymentAt(first + place));
    await store(world, await world.preparePayments(page));
  }
  return PAYMENTS / ((performance.now() - startMs) / 1000);
}

/** Stores a page with its events, which are confirmed at once. */
async function store(world: IngestWorld, { statements, events }: PreparedPage): Promise<void> {
  const outbox = new OutboxStore(world.d1.db);
  await world.d1.db.batch([outbox.insert(events, at(60)), ...statements]);
  await outbox.remove(events.map(({ event }) => event.id));
}

function paymentAt(place: number): ProviderPayment {
  return payment(`pay_${place}`, {
    createdAt: at((place * 7919) % PAYMENTS),
    amount: BigInt(place % 100_000),
    type: place % 3 === 0 ? "PAYOUT" : "PAY-IN",
    status: PAYMENT_STATUSES[place % PAYMENT_STATUSES.length] ?? "OTHER",
    scheme: PAYMENT_SCHEMES[place % PAYMENT_SCHEMES.length] ?? "OTHER",
    sourceReference: `acct_${place % 1000}`,
    destinationReference: `acct_${place % 77}`,
    metadata: { order: `${place}`, channel: "web" },
  });
}
