import { z } from "zod";
import { accountOf } from "./accounts.ts";
import {
  accountPath,
  CURRENCIES,
  type MoneycorpClient,
  MoneycorpTime,
  skipCurrency,
  MoneycorpResource,
} from "./client.ts";
import { endOfOrder, orderPath, toOrdered } from "./orders.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Clock } from "#platform/time.ts";

/** The types of transactions; transactions of all other types are left out. `by-direction` is a payout or a pay-in. */
export const TYPES: Readonly<Record<string, "TRANSFER" | "by-direction">> = {
  Transfer: "TRANSFER",
  Payment: "by-direction",
  Exchange: "by-direction",
  Charge: "by-direction",
  Refund: "by-direction",
};

/** The types of transactions whose direction decides. */
export const DIRECTIONS: Readonly<Record<string, kit.PaymentType>> = {
  Debit: "PAYOUT",
  Credit: "PAY-IN",
};

const Transaction = z.object({
  createdAt: MoneycorpTime,
  transactionCurrency: kit.Text,
  transactionAmount: kit.DecimalText,
  transactionDirection: z.string(),
  transactionType: z.string(),
});

const Relationships = z.object({ data: z.object({ id: kit.Id }).nullish() }).nullish();

export interface MoneycorpReader {
  readonly client: MoneycorpClient;
  readonly clock: Clock;
  readonly open: kit.OpenMovements;
}

/** The transactions of an account, and afterwards the orders from it that have ended without a transaction. */
export async function fetchPayments(
  reader: MoneycorpReader,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  const { client, open } = reader;
  const account = accountOf(request);
  return open.fetch({
    account,
    state: request.state,
    readList: async (list) => {
      const page = await readTransactions(client, account, { ...request, state: list });
      return kit.readPageAsync(page, (value) => toPayment(client, account, value));
    },
    endOf: (order) => endOfOrder(reader, account, order),
  });
}

const readTransactions = (client: MoneycorpClient, account: string, request: kit.FetchRequest) =>
  kit.fetchTimeList(request, {
    readPage: ({ page, pageSize, from }) =>
      client.search(
        `${accountPath(account)}/transactions/find`,
        { page: page - 1, pageSize, sortBy: "createdAt.asc" },
        // The time is in UTC and has no zone, as in the provider's objects.
        from === undefined ? {} : { transactionDateTimeFrom: from.slice(0, 19) },
      ),
    read: (value) => {
      const item = kit.parseObject(MoneycorpResource, value, "a transaction");
      const { createdAt } = kit.parseObject(Transaction, item.attributes, "a transaction");
      return { item, time: createdAt, identity: item.id };
    },
  });

/** The payment of a transaction of an account; undefined for a transaction that is left out. */
export async function toPayment(
  client: MoneycorpClient,
  account: string,
  value: MoneycorpResource,
): Promise<kit.ProviderPayment | undefined> {
  const transaction = kit.parseObject(Transaction, value.attributes, "a transaction");
  const { transactionAmount: decimal, transactionCurrency: currency } = transaction;
  const { transactionType, transactionDirection: direction, createdAt } = transaction;
  const related = kit.parseObject(Relationships, value["relationships"], "a transaction")?.data?.id;
  const kind = kit.rowOf(TYPES, transactionType);
  if (kind === "TRANSFER") {
    // Both accounts have a transaction of a transfer.
    return direction === "Debit" && related !== undefined
      ? readTransfer(client, account, related)
      : undefined;
  }
  const type = kind === undefined ? undefined : kit.rowOf(DIRECTIONS, direction);
  if (type === undefined) return undefined;
  const amount = CURRENCIES.fromDecimal(decimal.replace("-", ""), currency);
  if (amount === undefined) return skipCurrency("transaction", value.id, currency);
  const isPayment = transactionType === "Payment";
  return {
    reference: isPayment ? (related ?? value.id) : value.id,
    createdAt,
    type,
    ...amount,
    scheme: "OTHER",
    status: "SUCCEEDED",
    ...(type === "PAYOUT" ? { sourceReference: account } : { destinationReference: account }),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/**
 * The payment of a transfer, whose object contains both accounts. Its reference is the id of the transfer, as for a transfer that this
 * connector creates.
 */
async function readTransfer(
  client: MoneycorpClient,
  account: string,
  id: string,
): Promise<kit.ProviderPayment | undefined> {
  const value = await client.find(`${accountPath(account)}/${orderPath("transfers", id)}`);
  return value === undefined ? undefined : toOrdered("transfers", value);
}
