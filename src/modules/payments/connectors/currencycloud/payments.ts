import { z } from "zod";
import { CURRENCIES, type CurrencycloudClient, skipCurrency } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The types of transactions, by the type of the related entity. */
export const TYPES: Readonly<Record<string, kit.PaymentType>> = {
  inbound_funds: "PAY-IN",
  payment: "PAYOUT",
  transfer: "TRANSFER",
  balance_transfer: "TRANSFER",
};

/** The types of all other transactions, by their side. */
export const SIDES: Readonly<Record<string, kit.PaymentType>> = {
  credit: "PAY-IN",
  debit: "PAYOUT",
};

/** The statuses of transactions, transfers and payments; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  completed: "SUCCEEDED",
  pending: "PENDING",
  ready_to_send: "PENDING",
  deleted: "FAILED",
  cancelled: "CANCELLED",
};

export const statusOf = (status: string): kit.PaymentStatus =>
  kit.rowOf(STATUSES, status) ?? "OTHER";

const Transaction = z.object({
  id: kit.Text,
  account_id: kit.Text,
  currency: kit.Text,
  amount: kit.DecimalText,
  type: z.string(),
  related_entity_type: kit.OptionalText,
  related_entity_id: kit.OptionalText,
  status: z.string(),
  created_at: kit.Date3339,
  updated_at: kit.Date3339,
});

/** The transactions of all accounts, in the order of their changes. The list can be requested from a day on. */
export const fetchPayments = (
  client: CurrencycloudClient,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> =>
  kit.fetchTimeList(request, {
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

/** The payment of a transaction; undefined and logged for an unsupported currency. */
export function toPayment(value: unknown): kit.Listed<kit.ProviderPayment> | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  const { id, account_id: account, currency, type: side, status, updated_at } = transaction;
  const amount = CURRENCIES.fromDecimal(transaction.amount.replace("-", ""), currency);
  if (amount === undefined) return skipCurrency("transaction", id, currency);
  const isCredit = side === "credit";
  const item: kit.ProviderPayment = {
    reference: transaction.related_entity_id ?? id,
    createdAt: transaction.created_at,
    type: kit.rowOf(TYPES, transaction.related_entity_type) ?? kit.rowOf(SIDES, side) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status: statusOf(status),
    ...(isCredit ? { destinationReference: account } : { sourceReference: account }),
    metadata: {},
    raw: kit.rawOf(value),
  };
  return { item, time: updated_at, identity: `${id} ${status} ${updated_at}` };
}
