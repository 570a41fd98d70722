import { inArray, sql } from "drizzle-orm";
import { storedPayments } from "./payment-reports.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { deletedPaymentEvent } from "#modules/payments/payments/event-types.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";

/** Prepares to delete all payments with certain references, of every type, with their adjustments. */
export async function prepareDeletions(
  { env, clock }: ServiceContext,
  {
    connector,
    references,
  }: { readonly connector: InstalledConnector; readonly references: readonly string[] },
): Promise<PreparedPage> {
  const db = databaseOf(env);
  const rows = await storedPayments(db, connector, references);
  if (rows.length === 0) return { statements: [], events: [] };
  const keys = sql`(SELECT value FROM json_each(${stringifyJson(rows.map(({ key }) => key))}))`;
  const now = clock();
  return {
    statements: [
      db.delete(paymentAdjustments).where(inArray(paymentAdjustments.paymentKey, keys)),
      db.delete(paymentPayments).where(inArray(paymentPayments.key, keys)),
    ],
    events: rows.map(({ reference, type }) =>
      deletedPaymentEvent({ connector: connector.id, reference, type }, now),
    ),
  };
}
