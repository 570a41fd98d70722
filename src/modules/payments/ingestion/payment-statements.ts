import { type SQL, sql } from "drizzle-orm";
import type { PreparedPage } from "./page.ts";
import { referenceOfKey } from "#modules/payments/core/account-keys.ts";
import { accountHash } from "#modules/payments/core/signature.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { PaymentDraft } from "#modules/payments/payments/draft.ts";
import { markNews } from "#modules/payments/payments/related-payments.ts";
import type { ReportedAdjustment } from "#modules/payments/payments/report.ts";
import { PAYMENT_SEGMENTS, termsOfDraft } from "#modules/payments/payments/segments.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { Database } from "#platform/db/database.ts";
import { jsonRows, ROW_ORDER, rowItems } from "#platform/db/json-rows.ts";
import { stringifyJson } from "#platform/json.ts";

type Statements = PreparedPage["statements"];

/** The connector of payments, and the number of triggers that led to new ones. */
export interface PaymentOrigin {
  readonly connector: InstalledConnector;
  readonly causationDepth?: number | undefined;
}

/** The statements that store the changes in drafts. Their number does not depend on the number of drafts. */
export function toStatements(
  db: Database,
  origin: PaymentOrigin,
  drafts: readonly PaymentDraft[],
): Statements {
  const { connector } = origin;
  const changed = drafts.filter(({ added }) => added.length > 0);
  const opened = changed.filter(({ row }) => row === undefined);
  const stored = changed.filter(({ row }) => row !== undefined);
  const termsOf = (draft: PaymentDraft) => termsOfDraft(connector, draft);
  const reopened = stored.filter(({ row, details }) => row?.metadata !== details.metadata);
  return [
    ...unlessEmpty(opened.map(toPayment), (rows) => insertPayments(db, origin, rows)),
    ...(opened.length === 0 ? [] : [PAYMENT_SEGMENTS.addInserted(db, opened.map(termsOf))]),
    ...(stored.length === 0
      ? []
      : [
          PAYMENT_SEGMENTS.addTo(
            db,
            stored.map((draft) => ({ key: draft.row?.key ?? 0, terms: termsOf(draft) })),
          ),
        ]),
    ...unlessEmpty(stored.map(toChange), (rows) => updatePayments(db, rows)),
    ...unlessEmpty(reopened.map(toMetadataChange), (rows) => updateMetadata(db, rows)),
    ...unlessEmpty(changed.flatMap(toAdjustments), (rows) =>
      insertAdjustments(db, connector, rows),
    ),
    // A new payment is related to no initiation yet.
    ...(stored.length === 0
      ? []
      : [
          markNews(
            db,
            stored.flatMap(({ row }) => row?.key ?? []),
          ),
        ]),
  ];
}

type Rows = readonly (readonly unknown[])[];

function unlessEmpty(rows: Rows, statement: (rows: SQL) => Statements[number]): Statements {
  return rows.length === 0 ? [] : [statement(jsonRows(rows))];
}

const insertPayments = (
  db: Database,
  { connector, causationDepth = 0 }: PaymentOrigin,
  rows: SQL,
) =>
  db.insert(paymentPayments).select(sql`
    SELECT NULL, ${installedKey(connector)}, ${rowItems(18)}, ${causationDepth}
    FROM ${rows} AS r WHERE true ORDER BY ${ROW_ORDER}`);

/** The values are in the order of the table's columns. */
function toPayment({ details, state }: PaymentDraft): unknown[] {
  return [
    details.reference,
    details.type,
    details.createdAt,
    details.scheme,
    state.status,
    details.asset,
    state.initialAmount.toString(),
    state.amount.toString(),
    details.openingInitialAmount,
    details.openingAmount,
    details.sourceAccount,
    details.destinationAccount,
    hashOf(details.sourceAccount),
    hashOf(details.destinationAccount),
    details.psuId,
    details.connectionId,
    details.metadata,
    details.metadataBits,
  ];
}

const updatePayments = (db: Database, rows: SQL) =>
  db
    .update(paymentPayments)
    .set({
      status: itemAt(1),
      initialAmount: itemAt(2),
      amount: itemAt(3),
      createdAt: itemAt(4),
      scheme: itemAt(5),
      asset: itemAt(6),
      sourceAccount: itemAt(7),
      destinationAccount: itemAt(8),
      sourceHash: itemAt(9),
      destinationHash: itemAt(10),
      psuId: itemAt(11),
      connectionId: itemAt(12),
    })
    .from(sql`${rows} AS r`)
    .where(sql`${paymentPayments.key} = r.item ->> 0`);

const itemAt = (place: number): SQL => rowItems(1, place);

const toChange = ({ row, details, state }: PaymentDraft): unknown[] => [
  row?.key,
  state.status,
  state.initialAmount.toString(),
  state.amount.toString(),
  details.createdAt,
  details.scheme,
  details.asset,
  details.sourceAccount,
  details.destinationAccount,
  hashOf(details.sourceAccount),
  hashOf(details.destinationAccount),
  details.psuId,
  details.connectionId,
];

const hashOf = (accountKey: string | null): number | null =>
  accountHash(accountKey === null ? null : referenceOfKey(accountKey));

/** Updates metadata, unless a client has changed it meanwhile. */
const updateMetadata = (db: Database, rows: SQL) =>
  db
    .update(paymentPayments)
    .set({ metadata: itemAt(2), metadataBits: itemAt(3) })
    .from(sql`${rows} AS r`)
    .where(
      sql`${paymentPayments.key} = r.item ->> 0 AND ${paymentPayments.metadata} = r.item ->> 1`,
    );

const toMetadataChange = ({ row, details }: PaymentDraft): unknown[] => [
  row?.key,
  row?.metadata,
  details.metadata,
  details.metadataBits,
];

/** Inserts adjustments. The batch fails if the payment of one has been deleted meanwhile. */
const insertAdjustments = (db: Database, { key }: InstalledConnector, rows: SQL) =>
  db.insert(paymentAdjustments).select(sql`
    SELECT NULL,
      CASE WHEN r.item ->> 0 IS NULL
        THEN (SELECT p.key FROM ${paymentPayments} AS p
          WHERE p.reference = r.item ->> 1 AND p.connector_key = ${key} AND p.type = r.item ->> 2)
        ELSE (SELECT p.key FROM ${paymentPayments} AS p WHERE p.key = r.item ->> 0) END,
      ${rowItems(8, 3)}
    FROM ${rows} AS r WHERE true ORDER BY ${ROW_ORDER}`);

function toAdjustments({ row, details, added, ordinal }: PaymentDraft): unknown[][] {
  const first = ordinal - added.length;
  const owner = [row?.key ?? null, details.reference, details.type];
  return added.map((adjustment, place) => [...owner, first + place, ...toValues(adjustment)]);
}

/** The values are in the order of the table's columns. */
const toValues = (adjustment: ReportedAdjustment): unknown[] => [
  adjustment.reference,
  adjustment.createdAt,
  adjustment.status,
  adjustment.amount?.toString() ?? null,
  adjustment.asset ?? null,
  stringifyJson(adjustment.metadata),
  adjustment.raw,
];
