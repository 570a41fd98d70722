import { sql } from "drizzle-orm";
import { referenceOfKey } from "#modules/payments/core/account-keys.ts";
import { accountHash } from "#modules/payments/core/text-hash.ts";
import type { PreparedPage } from "#modules/payments/ingestion/page.ts";
import { installedKey } from "#modules/payments/installs/installed.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { PAYMENT_BLOOM_INDEX, termsOfDraft } from "#modules/payments/payments/bloom-index.ts";
import type { PaymentDraft, PaymentRow } from "#modules/payments/payments/draft.ts";
import { markPaymentUpdates } from "#modules/payments/payments/related-payments.ts";
import type { ReportedAdjustment } from "#modules/payments/payments/report.ts";
import { paymentAdjustments, paymentPayments } from "#modules/payments/payments/tables.ts";
import type { Database } from "#platform/db/database.ts";
import { columnValues, type JsonRows, jsonRows, ROW_ORDER } from "#platform/db/json-rows.ts";
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
    ...(opened.length === 0 ? [] : [PAYMENT_BLOOM_INDEX.addInserted(db, opened.map(termsOf))]),
    ...(stored.length === 0
      ? []
      : [
          PAYMENT_BLOOM_INDEX.addChanged(
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
          markPaymentUpdates(
            db,
            stored.flatMap(({ row }) => row?.key ?? []),
          ),
        ]),
  ];
}

function unlessEmpty<Name extends string>(
  rows: readonly Readonly<Record<Name, unknown>>[],
  statement: (rows: JsonRows<Name>) => Statements[number],
): Statements {
  return rows.length === 0 ? [] : [statement(jsonRows(rows))];
}

const insertPayments = (
  db: Database,
  { connector, causationDepth = 0 }: PaymentOrigin,
  { source, items }: JsonRows<keyof ReturnType<typeof toPayment>>,
) =>
  db.insert(paymentPayments).select(sql`
    SELECT ${columnValues(paymentPayments, {
      ...items,
      key: null,
      connectorKey: installedKey(connector),
      causationDepth,
    })}
    FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`);

const toPayment = (draft: PaymentDraft) => ({
  ...toChangeable(draft),
  reference: draft.details.reference,
  type: draft.details.type,
  openingInitialAmount: draft.details.openingInitialAmount,
  openingAmount: draft.details.openingAmount,
  metadata: draft.details.metadata,
  metadataBits: draft.details.metadataBits,
});

const updatePayments = (
  db: Database,
  { source, items: { key, ...changed } }: JsonRows<keyof ReturnType<typeof toChange>>,
) =>
  db
    .update(paymentPayments)
    .set(changed)
    .from(source)
    .where(sql`${paymentPayments.key} = ${key}`);

const toChange = (draft: PaymentDraft) => ({ key: draft.row?.key, ...toChangeable(draft) });

const toChangeable = ({ details, state }: PaymentDraft) =>
  ({
    status: state.status,
    initialAmount: state.initialAmount.toString(),
    amount: state.amount.toString(),
    createdAt: details.createdAt,
    scheme: details.scheme,
    asset: details.asset,
    sourceAccount: details.sourceAccount,
    destinationAccount: details.destinationAccount,
    sourceHash: hashOf(details.sourceAccount),
    destinationHash: hashOf(details.destinationAccount),
    psuId: details.psuId,
    connectionId: details.connectionId,
  }) satisfies Partial<PaymentRow>;

const hashOf = (accountKey: string | null): number | null =>
  accountHash(accountKey === null ? null : referenceOfKey(accountKey));

/** Metadata that a client has changed meanwhile stays. */
const updateMetadata = (
  db: Database,
  { source, items }: JsonRows<keyof ReturnType<typeof toMetadataChange>>,
) =>
  db
    .update(paymentPayments)
    .set({ metadata: items.metadata, metadataBits: items.metadataBits })
    .from(source)
    .where(
      sql`${paymentPayments.key} = ${items.key} AND ${paymentPayments.metadata} = ${items.known}`,
    );

const toMetadataChange = ({ row, details }: PaymentDraft) => ({
  key: row?.key,
  known: row?.metadata,
  metadata: details.metadata,
  metadataBits: details.metadataBits,
});

/** The payment of a new adjustment is there, or the batch fails: it may have been deleted meanwhile. */
const insertAdjustments = (
  db: Database,
  { key }: InstalledConnector,
  { source, items }: JsonRows<keyof ReturnType<typeof toAdjustments>[number]>,
) =>
  db.insert(paymentAdjustments).select(sql`
    SELECT ${columnValues(paymentAdjustments, {
      ...items,
      key: null,
      paymentKey: sql`CASE WHEN ${items.paymentKey} IS NULL
        THEN (SELECT p.key FROM ${paymentPayments} AS p
          WHERE p.reference = ${items.paymentReference} AND p.connector_key = ${key} AND p.type = ${items.paymentType})
        ELSE (SELECT p.key FROM ${paymentPayments} AS p WHERE p.key = ${items.paymentKey}) END`,
    })}
    FROM ${source} WHERE true ORDER BY ${ROW_ORDER}`);

function toAdjustments({ row, details, added, nextOrdinal }: PaymentDraft) {
  const first = nextOrdinal - added.length;
  const payment = {
    paymentKey: row?.key ?? null,
    paymentReference: details.reference,
    paymentType: details.type,
  };
  return added.map((adjustment, place) => ({
    ...payment,
    ordinal: first + place,
    ...toValues(adjustment),
  }));
}

const toValues = (adjustment: ReportedAdjustment) => ({
  reference: adjustment.reference,
  createdAt: adjustment.createdAt,
  status: adjustment.status,
  amount: adjustment.amount?.toString() ?? null,
  asset: adjustment.asset ?? null,
  metadata: stringifyJson(adjustment.metadata),
  raw: adjustment.raw,
});
