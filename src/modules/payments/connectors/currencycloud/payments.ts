import { z } from "zod";
import { CURRENCIES, type CurrencycloudClient, noteCurrency } from "./client.ts";
import type { FetchRequest, PaymentPage } from "#modules/payments/connectors/contract.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import {
  Date3339,
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeList, type Listed } from "#modules/payments/connectors/kit/time-list.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";

/** What transactions are, by what they are of. */
export const TYPES: Readonly<Record<string, PaymentType>> = {
  inbound_funds: "PAY-IN",
  payment: "PAYOUT",
  transfer: "TRANSFER",
  balance_transfer: "TRANSFER",
};

/** What transactions of anything else are, by their side. */
export const SIDES: Readonly<Record<string, PaymentType>> = {
  credit: "PAY-IN",
  debit: "PAYOUT",
};

/** The statuses of transactions, transfers and payments; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  completed: "SUCCEEDED",
  pending: "PENDING",
  ready_to_send: "PENDING",
  deleted: "FAILED",
  cancelled: "CANCELLED",
};

export const statusOf = (status: string): PaymentStatus => rowOf(STATUSES, status) ?? "OTHER";

const Transaction = z.object({
  id: Text,
  account_id: Text,
  currency: Text,
  amount: DecimalText,
  type: z.string(),
  related_entity_type: OptionalText,
  related_entity_id: OptionalText,
  status: z.string(),
  created_at: Date3339,
  updated_at: Date3339,
});

/** The transactions of all accounts, in the order of their changes. They can be asked for since a day. */
export const fetchPayments = (
  client: CurrencycloudClient,
  request: FetchRequest,
): Promise<PaymentPage> =>
  fetchTimeList(request, {
    readPage: async ({ page, pageSize, from }) => {
      const query = {
        page,
        per_page: pageSize,
        order: "updated_at",
        order_asc_desc: "asc",
        updated_at_from: from?.slice(0, "2026-03-01".length),
      };
      return (await client.list("transactions", query)).values;
    },
    read: toPayment,
  });

/** The payment that a transaction is; undefined for a currency that is not known. */
export function toPayment(value: unknown): Listed<ProviderPayment> | undefined {
  const transaction = parseObject(Transaction, value, "a transaction");
  const { id, account_id: account, currency, type: side, status, updated_at } = transaction;
  const amount = CURRENCIES.fromDecimal(transaction.amount.replace("-", ""), currency);
  if (amount === undefined) {
    noteCurrency("transaction", id, currency);
    return undefined;
  }
  const isCredit = side === "credit";
  const item: ProviderPayment = {
    reference: transaction.related_entity_id ?? id,
    createdAt: transaction.created_at,
    type: rowOf(TYPES, transaction.related_entity_type) ?? rowOf(SIDES, side) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status: statusOf(status),
    ...(isCredit ? { destinationReference: account } : { sourceReference: account }),
    metadata: {},
    raw: rawOf(value),
  };
  return { item, time: updated_at, identity: `${id} ${status} ${updated_at}` };
}
