import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { referenceOfKey } from "#modules/payments/core/account-keys.ts";
import type { PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { movementSignature } from "#modules/payments/core/movement-signature.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { PaymentEnd, PaymentReport } from "#modules/payments/payments/report.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { jsonRows } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/**
 * A payment that a page or a webhook has brought, and that may be what the provider has made of a movement. The batch that stores the payment
 * notes it at the movement, so that it is not lost, whoever is killed afterwards:
 *
 *     page with a payment ---one batch---> payment, and movement.shown
 *                                               |
 *         whoever stored the page ---------+    |    +---- whoever tries the movement, before any call
 *                                          v    v    v
 *                              `settle.ts`: is it really that payment?
 *                               | yes                      | no, or it cannot be told
 *                               v                          v
 *              the outcome, in one batch: no row      the note is forgotten; the provider
 *              is left, and no call is made           is asked, as without the note
 */
export interface Shown {
  /** Whether the provider shows the reference of the movement; if not, the payment only moves the same money. */
  readonly isNamed: boolean;
  /** The payment. */
  readonly type: PaymentType;
  readonly reference: string;
  /** The state of it that was brought. */
  readonly state: { readonly reference: string; readonly status: PaymentStatus };
}

export const parseShown = (text: string): Shown => parseJson(text) as Shown; // only this module writes the column

/**
 * The statement that notes payments at the movements that they may be made of: at those that were tried and whose reference the provider
 * shows, and at those whose calls had no outcome and that move the same money. A reference counts for more.
 */
export function noteShown(
  { env }: Pick<ServiceContext, "env">,
  { key }: InstalledConnector,
  reports: readonly PaymentReport[],
): BatchItem<"sqlite">[] {
  const rows = reports.flatMap(toNotes);
  if (rows.length === 0) return [];
  const source = jsonRows(rows);
  const { key: movementKey, mark, signature } = paymentMovements;
  return [
    databaseOf(env)
      .update(paymentMovements)
      .set({
        shown: sql`(
          SELECT r.item ->> 2 FROM ${source} AS r
          WHERE (r.item ->> 0 = ${MARK} AND r.item ->> 1 = ${mark})
            OR (r.item ->> 0 = ${SIGNATURE} AND r.item ->> 1 = ${signature})
          ORDER BY r.item ->> 0 = ${MARK} DESC LIMIT 1)`,
      })
      // The notes come first in the joins: each is looked up among the movements.
      .where(sql`${movementKey} IN (
        SELECT m.key FROM ${source} AS r CROSS JOIN ${paymentMovements} AS m
        WHERE r.item ->> 0 = ${MARK} AND m.connector_key = ${key} AND m.mark = r.item ->> 1
          AND m.sent_at IS NOT NULL AND (m.shown IS NULL OR NOT m.shown ->> 'isNamed')
        UNION ALL
        SELECT m.key FROM ${source} AS r CROSS JOIN ${paymentMovements} AS m
        WHERE r.item ->> 0 = ${SIGNATURE} AND m.connector_key = ${key}
          AND m.signature = r.item ->> 1 AND m.failures > 0
          AND m.polling_id IS NULL AND m.shown IS NULL)`),
  ];
}

/** By what a note is looked up. */
const MARK = "mark";
const SIGNATURE = "signature";

function toNotes(report: PaymentReport): (readonly unknown[])[] {
  const { type, reference, initiationReference: mark } = report;
  return report.adjustments.flatMap((adjustment) => {
    const state = { reference: adjustment.reference, status: adjustment.status };
    const shown = { type, reference, state };
    const named =
      mark === undefined ? [] : [[MARK, mark, stringifyJson({ isNamed: true, ...shown })]];
    // A later state of a payment is not what a movement has made.
    const isMoved = (type === "PAYOUT" || type === "TRANSFER") && state.reference === reference;
    if (mark !== undefined || !isMoved) return named;
    return [[SIGNATURE, signatureOf(report), stringifyJson({ isNamed: false, ...shown })]];
  });
}

const signatureOf = ({
  type,
  asset,
  initialAmount: amount,
  source,
  destination,
}: PaymentReport): string =>
  movementSignature({
    type,
    asset,
    amount,
    source: named(source),
    destination: named(destination),
  });

const named = (end: PaymentEnd | undefined): string | undefined =>
  end === undefined ? undefined : referenceOfKey(end.key);
