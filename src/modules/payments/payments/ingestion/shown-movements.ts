import { sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { referenceOfKey } from "#modules/payments/core/account-keys.ts";
import type { PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { movementSignature } from "#modules/payments/core/movement-signature.ts";
import { UNTIL_DECIDED } from "#modules/payments/initiations/movement-rows.ts";
import { paymentMovements } from "#modules/payments/initiations/tables.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { isLooking, isOfCopy } from "#modules/payments/lookups/lookup-rows.ts";
import { paymentShownMarks } from "#modules/payments/lookups/tables.ts";
import type { PaymentEnd, PaymentReport } from "#modules/payments/payments/report.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { columnValues, jsonRows, type JsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/**
 * A payment from a page or a webhook that may belong to a movement. The batch that stores the payment notes it in the row
 * of the movement, so that a crash does not lose it:
 *
 *     page with a payment ---one batch---> payment, and movement.shown
 *                                               |
 *         after the page was stored --------+   |   +---- before any call of the movement
 *                                           v   v   v
 *                         `movements/complete.ts`: does the payment belong to it?
 *                               | yes                      | no, or uncertain
 *                               v                          v
 *              the outcome, in one batch: no row      the note is deleted; the provider
 *              is left, and no call is made           is called, as without the note
 */
export interface Shown {
  /** Whether the payment shows the reference of the movement; otherwise, it only moves the same money. */
  readonly isNamed: boolean;
  /** Whether a second payment shows the reference, too: then nobody but a person tells which one it is. */
  readonly isAmbiguous?: boolean;
  /** The type and reference of the payment. */
  readonly type: PaymentType;
  readonly reference: string;
  /** The state of the payment in the page or webhook. */
  readonly state: { readonly reference: string; readonly status: PaymentStatus };
}

export const parseShown = (text: string): Shown => parseJson(text) as Shown; // only this module writes the column

/**
 * The statements that note payments in the rows of movements to which they may belong: movements that were tried and whose
 * reference the payment shows, and movements of the same money whose calls had no outcome. A shown reference replaces a
 * note without one. Of several payments of a page that show it, a payout or transfer is noted rather than a fee or a bounce. In a restored copy, the original may have made what was never tried here: a shown reference counts for every movement, and
 * a payment that shows none counts for no movement from before the arming, because the copy does not know what else the original has ordered.
 * A shown reference that no movement has taken is kept in `payment_shown_marks`.
 */
export function noteReportedPayments(
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  { key }: InstalledConnector,
  reports: readonly PaymentReport[],
): BatchItem<"sqlite">[] {
  const rows = reports.flatMap(toNotes);
  if (rows.length === 0) return [];
  const { source, items } = jsonRows(rows);
  const { key: movementKey, mark, signature } = paymentMovements;
  return [
    databaseOf(env)
      .update(paymentMovements)
      .set({
        shown: sql`(
          SELECT ${items.shown} FROM ${source}
          WHERE (${items.kind} = ${MARK} AND ${items.value} = ${mark})
            OR (${items.kind} = ${SIGNATURE} AND ${items.value} = ${signature})
          ORDER BY ${items.kind} = ${MARK} DESC, ${items.shown} ->> '$.type' IN ('PAYOUT', 'TRANSFER') DESC, ${ROW_ORDER} LIMIT 1)`,
      })
      // The notes come first in the joins, so that each is looked up in an index of the movements.
      .where(sql`${movementKey} IN (
        SELECT m.key FROM ${source} CROSS JOIN ${paymentMovements} AS m
        WHERE ${items.kind} = ${MARK} AND m.connector_key = ${key} AND m.mark = ${items.value}
          AND (m.sent_at IS NOT NULL OR m.due_at = ${UNTIL_DECIDED} OR ${isOfCopy(sql`${key}`)})
          AND (m.shown IS NULL OR NOT m.shown ->> 'isNamed')
        UNION ALL
        SELECT m.key FROM ${source} CROSS JOIN ${paymentMovements} AS m
        WHERE ${items.kind} = ${SIGNATURE} AND m.connector_key = ${key}
          AND m.signature = ${items.value} AND m.failures > 0
          AND m.polling_id IS NULL AND m.shown IS NULL
          AND NOT EXISTS (
            SELECT 1 FROM payment_lookups AS l WHERE l.connector_key = ${key} AND l.began_at >= m.sent_at))`),
    ...(rows.some(({ kind }) => kind === MARK)
      ? [keepMarks({ env, clock }, key, { source, items })]
      : []),
  ];
}

/**
 * The statement that keeps shown references which no movement takes, for the time after a restore:
 *
 *     a movement that was sent has the reference, and no look-up is under way ──► its row notes the payment
 *     the payment is that of an initiation, and this is no reversal ────────────► known already
 *     otherwise ──────────────────────────────────────────────────────────────► kept: of several payments the first one, as ambiguous;
 *                                                                             of a pay-in and a payout of one reference the payout
 */
const keepMarks = (
  { env, clock }: Pick<ServiceContext, "env" | "clock">,
  connectorKey: number,
  { source, items }: JsonRows<keyof Note>,
): BatchItem<"sqlite"> =>
  databaseOf(env)
    .insert(paymentShownMarks)
    .select(sql`
      SELECT ${columnValues(paymentShownMarks, { connectorKey: sql`${connectorKey}`, mark: items.value, shown: items.shown, notedAt: clock() })}
      FROM ${source} WHERE ${items.kind} = ${MARK}
        AND (${isLooking(sql`${connectorKey}`)} OR NOT EXISTS (
          SELECT 1 FROM ${paymentMovements} AS m
          WHERE m.connector_key = ${connectorKey} AND m.mark = ${items.value}
            AND m.sent_at IS NOT NULL AND m.due_at < ${UNTIL_DECIDED}))
        AND NOT (${items.shown} ->> '$.state.reference' = ${items.shown} ->> '$.reference' AND EXISTS (
          SELECT 1 FROM payment_payments AS p
          JOIN payment_initiation_payments AS o ON o.payment_key = p.key
          WHERE p.reference = ${items.shown} ->> '$.reference' AND p.connector_key = ${connectorKey}
            AND p.type = ${items.shown} ->> '$.type'))
      ORDER BY ${ROW_ORDER}`)
    .onConflictDoUpdate({
      target: [paymentShownMarks.connectorKey, paymentShownMarks.mark],
      set: {
        shown: sql`CASE WHEN ${IS_OUTGOING_TOO} THEN excluded.shown
          ELSE json_set(shown, '$.isAmbiguous', json('true')) END`,
      },
      setWhere: sql`${paymentShownMarks.shown} ->> '$.reference' <> excluded.shown ->> '$.reference' OR ${IS_OUTGOING_TOO}`,
    });

/** The condition that a kept pay-in and a payout have one reference at the provider: then the payout is what an order may have made. */
const IS_OUTGOING_TOO = sql`(
  ${paymentShownMarks.shown} ->> '$.reference' = excluded.shown ->> '$.reference'
  AND ${paymentShownMarks.shown} ->> '$.type' = 'PAY-IN' AND excluded.shown ->> '$.type' IN ('PAYOUT', 'TRANSFER')
  AND ${paymentShownMarks.shown} ->> '$.isAmbiguous' IS NULL)`;

/** The two columns by which a note finds its movement. */
const MARK = "mark";
const SIGNATURE = "signature";

interface Note {
  readonly kind: typeof MARK | typeof SIGNATURE;
  readonly value: string;
  /** JSON of a `Shown`. */
  readonly shown: string;
}

function toNotes(report: PaymentReport): Note[] {
  const { type, reference, initiationReference: mark } = report;
  return report.adjustments.flatMap((adjustment): Note[] => {
    const state = { reference: adjustment.reference, status: adjustment.status };
    const shown = { type, reference, state };
    const named: Note[] =
      mark === undefined
        ? []
        : [{ kind: MARK, value: mark, shown: stringifyJson({ isNamed: true, ...shown }) }];
    // A later state of a payment is not what a movement has made.
    const isMoved = (type === "PAYOUT" || type === "TRANSFER") && state.reference === reference;
    if (mark !== undefined || !isMoved) return named;
    const note = stringifyJson({ isNamed: false, ...shown });
    return [{ kind: SIGNATURE, value: signatureOf(report), shown: note }];
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
