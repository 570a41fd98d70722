import { env } from "cloudflare:workers";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { BOOKINGS_MAX } from "#modules/payments/bookings/booking.ts";
import { EMPTY_PROGRESS } from "#modules/payments/bookings/store.ts";
import { paymentBookings } from "#modules/payments/bookings/tables.ts";
import { runBookings } from "#modules/payments/mirror/run.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import { present } from "#platform/assert.ts";
import { systemContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";
import { storeConnector } from "#test/support/payments/connectors.ts";
import { at } from "#test/support/payments/provider-objects.ts";
import { eventually } from "#test/support/platform/eventually.ts";

test("every booking is worked on, even if two requests at once have created one more than may be", async () => {
  const db = databaseOf(env);
  const { key: connectorKey } = await storeConnector();
  const times = { createdAt: at(0), updatedAt: at(0) };
  const money = { reference: "p", createdAt: at(0), status: "SUCCEEDED", amount: "1" } as const;
  const [payment] = await db
    .insert(paymentPayments)
    .values({
      ...money,
      connectorKey,
      type: "PAY-IN",
      scheme: "OTHER",
      asset: "EUR/2",
      initialAmount: "1",
      metadata: "{}",
      metadataBits: 0,
    })
    .returning({ key: paymentPayments.key });
  const { key: paymentKey } = present(payment, "the payment is stored");
  await db
    .insert(paymentAdjustments)
    .values({ ...money, paymentKey, ordinal: 0, metadata: "{}", raw: "{}" });
  await db.insert(paymentBookings).select(
    sql`
      SELECT ${columnValues(paymentBookings, {
        ...EMPTY_PROGRESS,
        ...times,
        key: null,
        id: sql`'booking ' || value`,
        connectorKey,
        poolId: null,
        ledger: sql`'nowhere-' || value`,
        schemaVersion: "v1",
        template: "mirror",
        templates: "{}",
        state: "RUNNING",
        run: 1,
      })}
      FROM json_each(${stringifyJson(Array.from({ length: BOOKINGS_MAX + 1 }, (_, index) => index))})`,
  );
  // No ledger exists, so that each booking gets an error and waits.
  await eventually(async () => {
    await runBookings(systemContext(env, "test"));
    expect(await db.$count(paymentBookings, sql`attempts >= 1`)).toBe(BOOKINGS_MAX + 1);
  });
});
