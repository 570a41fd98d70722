import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { LedgerClient } from "#modules/ledger/index.ts";
import { paymentBookings } from "#modules/payments/bookings/tables.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import { encodeConnectorId } from "#modules/payments/core/ids.ts";
import { storePage } from "#modules/payments/ingestion/page.ts";
import { findConnector, type InstalledConnector } from "#modules/payments/installs/store.ts";
import { paymentConnectors } from "#modules/payments/installs/tables.ts";
import { runBookings } from "#modules/payments/mirror/run.ts";
import { preparePayments } from "#modules/payments/payments/ingestion/payments.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { api, bodyOf, freshName } from "#test/support/platform/api.ts";
import { eventually } from "#test/support/platform/eventually.ts";

export const context = systemContext(env, "test");

export async function install(): Promise<InstalledConnector> {
  const id = { provider: "generic", reference: crypto.randomUUID() };
  await databaseOf(env)
    .insert(paymentConnectors)
    .values({
      ...id,
      name: freshName("connector"),
      config: "",
      pollingPeriodMs: 1_000_000,
      createdAt: at(0),
    });
  return present(await findConnector(context, id), "it was just inserted");
}

export const report = (connector: InstalledConnector, ...payments: readonly ProviderPayment[]) =>
  storePage(context, () => preparePayments(context, { connector, payments }));

/** Works on all bookings that are due. A sweep of the clock may have claimed some of them, and is waited for. */
export const runAll = (): Promise<void> =>
  eventually(async () => {
    await runBookings(context);
    expect(await databaseOf(env).$count(paymentBookings, IS_CLAIMED)).toBe(0);
  });

/** Holds for a booking that a sweep works on. One that waits after a failure has made attempts. */
const IS_CLAIMED = sql`wait_until IS NOT NULL AND attempts = 0`;

export interface BookingView {
  readonly id: string;
  readonly state: string;
  readonly booked: number;
  readonly failed: number;
  readonly pending: number;
  readonly ledger: string;
  readonly error?: string;
}

export const PATH = "/api/florin/v1/payments/bookings";
export const dataOf = async (response: Response): Promise<BookingView> =>
  ((await bodyOf(response)) as { data: BookingView }).data; // the schema of these operations has this shape

export const book = async (connector: InstalledConnector, rules: object): Promise<Response> =>
  api(PATH, {
    method: "POST",
    body: {
      connectorID: encodeConnectorId(connector.id),
      schemaVersion: "v1",
      template: "mirror",
      ...rules,
    },
  });
export const read = async (id: string): Promise<BookingView> => dataOf(await api(`${PATH}/${id}`));

export async function transactionsOf(ledger: string) {
  const transactions = [];
  for await (const transaction of new LedgerClient(context, ledger).transactions()) {
    const { id, postings, reference, timestamp, metadata } = transaction;
    transactions.push({ id, postings, reference, timestamp, metadata });
  }
  return transactions;
}
