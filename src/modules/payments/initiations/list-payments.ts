import { and, sql } from "drizzle-orm";
import type { Initiation } from "./initiation.ts";
import { paymentInitiationPayments } from "./tables.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import type { PaymentRow } from "#modules/payments/payments/draft.ts";
import { type PaymentWithAdjustments, toPayments } from "#modules/payments/payments/payment.ts";
import { withAdjustments } from "#modules/payments/payments/store.ts";
import { paymentPayments } from "#modules/payments/payments/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
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

/** A page of the payments that providers have made of an initiation and of its reversals, newest first. */
export async function listInitiationPayments(
  context: ServiceContext,
  initiation: Initiation,
  query: PageQuery,
): Promise<Page<PaymentWithAdjustments>> {
  const page = await listPage(query, {
    ...PAYMENTS,
    read: ({ where, orderBy, limit, offset }) =>
      databaseOf(context.env)
        .select()
        .from(paymentPayments)
        .where(and(isRelated(initiation), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset),
  });
  const payments = await toShown(context, page.data);
  const byKey = new Map(payments.map((payment) => [payment.key, payment]));
  const { data, ...others } = mapPage(page, ({ key }) => byKey.get(key));
  return { ...others, data: data.filter((payment) => payment !== undefined) };
}

/** Most payments that are shown with their initiation. */
const SHOWN_MAX = 1000;

/** All payments of an initiation, or the last ones of very many, newest first. */
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
