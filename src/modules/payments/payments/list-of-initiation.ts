import { and, eq, sql } from "drizzle-orm";
import type { PaymentRow } from "./draft.ts";
import { type PaymentWithAdjustments, toPayments } from "./payment.ts";
import { withAdjustments } from "./store.ts";
import { paymentPayments } from "./tables.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { paymentInitiationPayments } from "#modules/payments/initiations/tables.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { mapPage, type Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const PAYMENTS: ListTable<PaymentRow> = {
  sort: {
    created_at: {
      type: "date",
      column: paymentPayments.createdAt,
      tie: paymentPayments.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the payments that the provider has made for an initiation and its reversals, newest first. */
export async function listInitiationPayments(
  context: ServiceContext,
  initiation: Initiation,
  query: PageQuery,
): Promise<Page<PaymentWithAdjustments>> {
  const db = databaseOf(context.env);
  const isMeant = (await hasVeryMany(db, initiation)) ? isRelatedOne : isRelated;
  const page = await listPage(query, {
    ...PAYMENTS,
    read: ({ where, orderBy, limit, offset }) =>
      db
        .select()
        .from(paymentPayments)
        .where(and(isMeant(initiation), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
  const payments = await toShown(context, page.data);
  const byKey = new Map(payments.map((payment) => [payment.key, payment]));
  const { data, ...others } = mapPage(page, ({ key }) => byKey.get(key));
  return { ...others, data: data.filter((payment) => payment !== undefined) };
}

/** Most payments that an answer shows with their initiation. */
const SHOWN_MAX = 1000;

/** The payments of an initiation, newest first, `SHOWN_MAX` at most. */
export async function allInitiationPayments(
  context: ServiceContext,
  initiation: Initiation,
): Promise<PaymentWithAdjustments[]> {
  const rows = await databaseOf(context.env)
    .select()
    .from(paymentPayments)
    .where(isRelated(initiation))
    .orderBy(sql`${paymentPayments.createdAt} DESC, ${paymentPayments.key} DESC`)
    .limit(SHOWN_MAX);
  return toShown(context, rows);
}

/**
 * An initiation with more payments than this is scanned in the order of the list; payments of others are looked up and then
 * sorted.
 */
const SORTED_MAX = 5000;

async function hasVeryMany(db: Database, { key }: Initiation): Promise<boolean> {
  const rows = await db
    .select({ key: paymentInitiationPayments.paymentKey })
    .from(paymentInitiationPayments)
    .where(eq(paymentInitiationPayments.initiationKey, key))
    .limit(1)
    .offset(SORTED_MAX);
  return rows.length > 0;
}

const isRelatedOne = ({ key }: Initiation) => sql`EXISTS (
  SELECT 1 FROM ${paymentInitiationPayments} AS related
  WHERE related.initiation_key = ${key} AND related.payment_key = ${paymentPayments.key})`;

const isRelated = ({ key }: Initiation) => sql`${paymentPayments.key} IN (
  SELECT ${paymentInitiationPayments.paymentKey} FROM ${paymentInitiationPayments}
  WHERE ${paymentInitiationPayments.initiationKey} = ${key})`;

const toShown = async (
  context: ServiceContext,
  rows: readonly PaymentRow[],
): Promise<PaymentWithAdjustments[]> =>
  withAdjustments(
    databaseOf(context.env),
    toPayments(rows, await ConnectorDirectory.read(context)),
  );
