import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { CreatedInitiation } from "#modules/payments/initiations/create.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import { readAdjustments } from "#modules/payments/mirror/adjustments.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { databaseOf } from "#platform/db/database.ts";
import type { PlatformEvent } from "#platform/events/envelope.ts";
import { parseJson } from "#platform/json.ts";
import { InitiationWorld } from "#test/support/payments/worlds/initiation-world.ts";

let world: InitiationWorld;

beforeEach(async () => {
  world = new InitiationWorld();
  await world.storeAccounts();
});

/** The causation depth of each stored event, by type: the number of triggers that led to it. */
function depths(): Record<string, (number | undefined)[]> {
  const rows = world.world.d1.rows("SELECT event FROM outbox ORDER BY sequence");
  const events = rows.map(({ event }) => parseJson(String(event)) as PlatformEvent); // the outbox wrote these events
  const byType = Map.groupBy(events, ({ type }) => type);
  return Object.fromEntries(
    [...byType].map(([type, told]) => [type, told.map(({ causationDepth }) => causationDepth)]),
  );
}

/** Creates a payout that `causationDepth` triggers led to. */
async function payout(causationDepth: number): Promise<CreatedInitiation> {
  world.causationDepth = causationDepth;
  const created = await world.create({ isSent: true });
  world.causationDepth = 0;
  return created;
}

/** Lets the provider report a status of a payout's payment, as a poll does; returns the causation depth of the event. */
async function report({ id }: CreatedInitiation, status: PaymentStatus) {
  const payments = [world.provider.paymentOf(id.reference, { status })];
  const page = await preparePayments(world.context, { connector: world.connector, payments });
  await world.world.store(page);
  return page.events.map(({ event }) => event.causationDepth);
}

test("a payout that triggers led to, its payment and what is booked of it know how many triggers did", async () => {
  const created = await payout(3);
  await world.sweep();
  expect(await report(created, "REFUNDED")).toEqual([3]);
  await world.sweep();

  const told = depths();
  expect(told["SAVED_PAYMENT_INITIATION"]).toEqual([3]);
  expect(told["SAVED_PAYMENT"]).toEqual([3]);
  expect(new Set(Object.values(told).flat())).toEqual(new Set([3]));
  const db = databaseOf(world.context.env);
  const directory = await ConnectorDirectory.read(world.context);
  const search = { payments: sql`true`, position: 0, directory };
  const { adjustments } = await readAdjustments(db, search);
  expect(adjustments.map(({ causationDepth }) => causationDepth)).toEqual([3, 3]);
});

test("a payment that was reported before its payout was answered knows what led to it from the answer on", async () => {
  const created = await payout(2);
  expect(await report(created, "PENDING")).toEqual([undefined]);
  await world.sweep();

  expect(await report(created, "REFUNDED")).toEqual([2]);
});

test("the events of a payout that a client asked for say nothing of triggers", async () => {
  await payout(0);
  await world.sweep();

  expect(new Set(Object.values(depths()).flat())).toEqual(new Set([undefined]));
});
