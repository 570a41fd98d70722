import { sql } from "drizzle-orm";
import { PAYMENT_BLOOM_INDEX } from "./bloom-index.ts";
import type { PaymentRow } from "./draft.ts";
import { type Payment, type PaymentWithAdjustments, toPayments } from "./payment.ts";
import { withAdjustments } from "./store.ts";
import { paymentPayments } from "./tables.ts";
import { decodePaymentId } from "#modules/payments/core/ids.ts";
import { ConnectorDirectory } from "#modules/payments/installs/directory.ts";
import {
  accountKey,
  connectorKey,
  connectorKeySql,
  metadataKey,
} from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const PAYMENTS: ListTable<PaymentRow> = {
  keys: {
    id: {
      type: "custom",
      matches: (text) => {
        const id = decodePaymentId(text);
        return id === undefined
          ? sql`FALSE`
          : sql`(${paymentPayments.reference} = ${id.reference}
              AND ${paymentPayments.connectorKey} = ${connectorKeySql(id.connector)}
              AND ${paymentPayments.type} = ${id.type})`;
      },
    },
    reference: { type: "text", column: paymentPayments.reference },
    connector_id: connectorKey(paymentPayments.connectorKey),
    type: { type: "text", column: paymentPayments.type },
    asset: { type: "text", column: paymentPayments.asset },
    scheme: { type: "text", column: paymentPayments.scheme },
    status: { type: "text", column: paymentPayments.status },
    source_account_id: accountKey({
      account: paymentPayments.sourceAccount,
      hash: paymentPayments.sourceHash,
    }),
    destination_account_id: accountKey({
      account: paymentPayments.destinationAccount,
      hash: paymentPayments.destinationHash,
    }),
    psu_id: { type: "text", column: paymentPayments.psuId },
    open_banking_connection_id: { type: "text", column: paymentPayments.connectionId },
    initial_amount: { type: "bigint", column: paymentPayments.initialAmount },
    amount: { type: "bigint", column: paymentPayments.amount },
    metadata: metadataKey(paymentPayments),
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentPayments.createdAt,
      tie: paymentPayments.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of payments, newest first. Throws `VALIDATION` for a bad filter. */
export async function listPayments(
  context: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<Payment>> {
  const page = await listPage(query, {
    ...PAYMENTS,
    read: async (all) => {
      const db = databaseOf(context.env);
      const scan = await PAYMENT_BLOOM_INDEX.narrow(db, query.where, all);
      if (scan === undefined) return [];
      return db
        .select()
        .from(paymentPayments)
        .where(isSelected(paymentPayments.key, scan))
        .orderBy(...scan.orderBy);
    },
  });
  return { ...page, data: toPayments(page.data, await ConnectorDirectory.read(context)) };
}

/** A page of payments with all their adjustments, newest first. Throws `VALIDATION` for a bad filter. */
export async function listPaymentsWithAdjustments(
  context: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<PaymentWithAdjustments>> {
  const page = await listPayments(context, query);
  return { ...page, data: await withAdjustments(databaseOf(context.env), page.data) };
}
