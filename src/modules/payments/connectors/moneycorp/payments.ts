import { z } from "zod";
import { accountOf } from "./accounts.ts";
import {
  accountPath,
  CURRENCIES,
  type MoneycorpClient,
  MoneycorpTime,
  noteCurrency,
  MoneycorpResource,
} from "./client.ts";
import { endOfOrder, orderPath, toOrdered } from "./orders.ts";
import type { FetchRequest, PaymentPage } from "#modules/payments/connectors/contract.ts";
import { readPageAsync } from "#modules/payments/connectors/kit/items.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import { DecimalText, Id, parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import type { OpenMovements } from "#modules/payments/connectors/kit/open-movements.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeList } from "#modules/payments/connectors/kit/time-list.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentType } from "#modules/payments/core/enums.ts";
import type { Clock } from "#platform/time.ts";

/** What transactions are; those of all other types are left out. `by-direction` is a payout or a pay-in. */
export const TYPES: Readonly<Record<string, "TRANSFER" | "by-direction">> = {
  Transfer: "TRANSFER",
  Payment: "by-direction",
  Exchange: "by-direction",
  Charge: "by-direction",
  Refund: "by-direction",
};

/** What the directions of transactions are. */
export const DIRECTIONS: Readonly<Record<string, PaymentType>> = {
  Debit: "PAYOUT",
  Credit: "PAY-IN",
};

const Transaction = z.object({
  createdAt: MoneycorpTime,
  transactionCurrency: Text,
  transactionAmount: DecimalText,
  transactionDirection: z.string(),
  transactionType: z.string(),
});

const Relationships = z.object({ data: z.object({ id: Id }).nullish() }).nullish();

export interface MoneycorpReader {
  readonly client: MoneycorpClient;
  readonly clock: Clock;
  readonly open: OpenMovements;
}

/** The transactions of an account, and then the movements from it that have ended without one. */
export async function fetchPayments(
  reader: MoneycorpReader,
  request: FetchRequest,
): Promise<PaymentPage> {
  const { client, open } = reader;
  const account = accountOf(request);
  return open.fetch({
    account,
    state: request.state,
    readList: async (list) => {
      const page = await readTransactions(client, account, { ...request, state: list });
      return readPageAsync(page, (value) => toPayment(client, account, value));
    },
    endOf: (order) => endOfOrder(reader, account, order),
  });
}

const readTransactions = (client: MoneycorpClient, account: string, request: FetchRequest) =>
  fetchTimeList(request, {
    readPage: ({ page, pageSize, from }) =>
      client.search(
        `${accountPath(account)}/transactions/find`,
        { page: page - 1, pageSize, sortBy: "createdAt.asc" },
        // In UTC, without a zone, as the provider writes its own times.
        from === undefined ? {} : { transactionDateTimeFrom: from.slice(0, 19) },
      ),
    read: (value) => {
      const item = parseObject(MoneycorpResource, value, "a transaction");
      const { createdAt } = parseObject(Transaction, item.attributes, "a transaction");
      return { item, time: createdAt, identity: item.id };
    },
  });

/** The payment that a transaction of an account is; undefined for one that is left out. */
export async function toPayment(
  client: MoneycorpClient,
  account: string,
  value: MoneycorpResource,
): Promise<ProviderPayment | undefined> {
  const transaction = parseObject(Transaction, value.attributes, "a transaction");
  const { transactionAmount: decimal, transactionCurrency: currency } = transaction;
  const { transactionType, transactionDirection: direction, createdAt } = transaction;
  const related = parseObject(Relationships, value["relationships"], "a transaction")?.data?.id;
  const kind = rowOf(TYPES, transactionType);
  if (kind === "TRANSFER") {
    // Both accounts have a transaction of it.
    return direction === "Debit" && related !== undefined
      ? readTransfer(client, account, related)
      : undefined;
  }
  const type = kind === undefined ? undefined : rowOf(DIRECTIONS, direction);
  if (type === undefined) return undefined;
  const amount = CURRENCIES.fromDecimal(decimal.replace("-", ""), currency);
  if (amount === undefined) {
    noteCurrency("transaction", value.id, currency);
    return undefined;
  }
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
    raw: rawOf(value),
  };
}

/** A transfer, which names both accounts. It is named by its own id, as where it was made here. */
async function readTransfer(
  client: MoneycorpClient,
  account: string,
  id: string,
): Promise<ProviderPayment | undefined> {
  const value = await client.find(`${accountPath(account)}/${orderPath("transfers", id)}`);
  return value === undefined ? undefined : toOrdered("transfers", value);
}
