import { inArray, sql } from "drizzle-orm";
import { deletedPaymentEvent } from "./event-types.ts";
import { storedPayments } from "./prepare.ts";
import { paymentAdjustments, paymentPayments } from "./tables.ts";
import type { PreparedPage } from "#modules/payments/ingest.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { stringifyJson } from "#platform/json.ts";

/** Prepares the payments of these references, of all types, to be deleted with their adjustments. */
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
