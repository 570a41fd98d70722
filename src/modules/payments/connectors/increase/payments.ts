import { z } from "zod";
import { CURRENCIES, type IncreaseClient, skipCurrency } from "./client.ts";
import { categoryOf } from "./sources.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The lists of transactions, in the order in which they are read, with the status of the transactions in each list. */
export const LISTS = {
  pending_transactions: "PENDING",
  transactions: "SUCCEEDED",
  declined_transactions: "FAILED",
} as const satisfies Readonly<Record<string, kit.PaymentStatus>>;
export type TransactionList = keyof typeof LISTS;

const NAMES = ["pending_transactions", "transactions", "declined_transactions"] as const;

/** The ids in the source of a transaction: the transfers that it belongs to, and the accounts at its ends. */
const Details = z.object({
  transfer_id: kit.OptionalText,
  wire_transfer_id: kit.OptionalText,
  check_deposit_id: kit.OptionalText,
  pending_transaction_id: kit.OptionalText,
  source_account_id: kit.OptionalText,
  destination_account_id: kit.OptionalText,
});

const Transaction = z.object({
  id: kit.Text,
  account_id: kit.Text,
  amount: kit.Amount,
  currency: kit.Text,
  created_at: kit.Date3339,
  source: z.looseObject({ category: z.string() }),
});

/** The state of each list, and the list that is read next. */
const State = z.object({
  next: z.enum(NAMES).default("pending_transactions"),
  lists: z.partialRecord(z.enum(NAMES), z.unknown()).default({}),
});

/** One page of one of the lists. A run reads all lists. */
export async function fetchPayments(
  client: IncreaseClient,
  { state, pageSize }: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  const { next: list, lists } = State.parse(state ?? {});
  const page = await kit.fetchNewestList(
    { state: lists[list], pageSize },
    {
      readPage: (place) => client.list(`/${list}`, place),
      read: (value) => {
        const { id, created_at } = kit.parseObject(Transaction, value, "a transaction");
        return { id, time: created_at, item: toPayment(list, value) };
      },
    },
  );
  const following = page.hasMore ? list : NAMES[NAMES.indexOf(list) + 1];
  return {
    ...page,
    state: { next: following ?? NAMES[0], lists: { ...lists, [list]: page.state } },
    hasMore: following !== undefined,
  };
}

/** The state of a payment that a transaction reports; undefined and logged for an unsupported currency. */
export function toPayment(list: TransactionList, value: unknown): kit.ProviderPayment | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  const { id, amount: units, currency, created_at, source } = transaction;
  const amount = CURRENCIES.fromUnits(units < 0n ? -units : units, currency);
  if (amount === undefined) return skipCurrency("transaction", id, currency);
  const category = categoryOf(source.category);
  const type = category.type === "by-sign" ? (units > 0n ? "PAY-IN" : "TRANSFER") : category.type;
  const posted = list === "transactions" ? category.posted : undefined;
  const details = kit.parseObject(
    Details,
    source[source.category] ?? {},
    "the source of a transaction",
  );
  const parent =
    details.transfer_id ??
    details.wire_transfer_id ??
    details.check_deposit_id ??
    details.pending_transaction_id;
  return {
    reference: id,
    ...kit.given({ parentReference: parent }),
    createdAt: created_at,
    type,
    ...amount,
    scheme: "OTHER",
    status: posted ?? LISTS[list],
    ...endsOf(type, transaction, details),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/**
 * The ends of a payment. The account of the transaction is the destination of a pay-in or of another credit, and the source of any other
 * payment.
 */
function endsOf(
  type: kit.ProviderPayment["type"],
  { account_id: own, amount }: z.output<typeof Transaction>,
  { source_account_id, destination_account_id }: z.output<typeof Details>,
): Pick<kit.ProviderPayment, "sourceReference" | "destinationReference"> {
  const isArriving = type === "PAY-IN" || (type === "OTHER" && amount > 0n);
  const source = isArriving ? source_account_id : own;
  const destination = isArriving ? own : destination_account_id;
  return {
    ...kit.given({ sourceReference: source, destinationReference: destination }),
  };
}

/** Reads a transaction again; undefined if the provider does not have the transaction any more. */
export async function readPayment(
  client: IncreaseClient,
  list: TransactionList,
  id: string,
): Promise<kit.ProviderPayment | undefined> {
  const path = `/${list}/${encodeURIComponent(id)}`;
  const value = await client.find({ path }, z.unknown(), "a transaction");
  return value === undefined ? undefined : toPayment(list, value);
}
