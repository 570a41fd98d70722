import { z } from "zod";
import { CURRENCIES, type ModulrClient, ModulrTime, noteCurrency, toNewestPage } from "./client.ts";
import { endOfPayment, initiationOf, readOrder } from "./orders.ts";
import type { FetchRequest, PaymentPage } from "#modules/payments/connectors/contract.ts";
import { readPageAsync } from "#modules/payments/connectors/kit/items.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import { fetchNewestList } from "#modules/payments/connectors/kit/newest-list.ts";
import {
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import type { OpenMovements } from "#modules/payments/connectors/kit/open-movements.ts";
import { requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentType } from "#modules/payments/core/enums.ts";
import type { Clock } from "#platform/time.ts";

/** The types of transactions that are what their beginning does not say. */
export const TYPES: Readonly<Record<string, PaymentType>> = {
  PI_REV: "OTHER",
  PO_REV: "OTHER",
  ADHOC: "OTHER",
  INT_INTERC: "TRANSFER",
};

/** What the types of all other transactions begin with; the rest is `OTHER`. */
export const PREFIXES: Readonly<Record<string, PaymentType>> = {
  PI_: "PAY-IN",
  PO_: "PAYOUT",
};

export const typeOf = (type: string): PaymentType =>
  rowOf(TYPES, type) ?? rowOf(PREFIXES, type.slice(0, 3)) ?? "OTHER";

const Transaction = z.object({
  id: Text,
  amount: DecimalText,
  currency: Text,
  type: z.string(),
  credit: z.boolean(),
  postedDate: ModulrTime,
  sourceId: Text,
  /** The reference that was given with the payment which the transaction is of. */
  sourceExternalReference: OptionalText,
});

export interface ModulrReader {
  readonly client: ModulrClient;
  readonly clock: Clock;
  readonly open: OpenMovements;
}

/** The transactions of an account, and then the payments of it that have ended without one. */
export async function fetchPayments(
  reader: ModulrReader,
  { parent, state, pageSize }: FetchRequest,
): Promise<PaymentPage> {
  const { reference: account } = requireAccount(parent, "payments");
  const { client, open } = reader;
  return open.fetch({
    account,
    state,
    readList: async (list) => {
      const page = await readTransactions(client, account, { state: list, pageSize });
      return readPageAsync(page, (value) => toPayment(client, account, value));
    },
    endOf: (id) => endOfPayment(reader, id),
  });
}

const readTransactions = (
  client: ModulrClient,
  account: string,
  request: Pick<FetchRequest, "state" | "pageSize">,
) =>
  fetchNewestList(request, {
    readPage: async ({ since, cursor = "0", pageSize }) => {
      const path = `/accounts/${encodeURIComponent(account)}/transactions`;
      const query = { page: cursor, size: pageSize };
      return toNewestPage(await client.list(path, query, { name: "fromPostedDate", time: since }));
    },
    read: (value) => {
      const { id, postedDate } = parseObject(Transaction, value, "a transaction");
      return { id, time: postedDate, item: value };
    },
  });

/** The payment that a transaction of an account is; undefined for one that is told of elsewhere, or of a currency that is not known. */
export async function toPayment(
  client: ModulrClient,
  account: string,
  value: unknown,
): Promise<ProviderPayment | undefined> {
  const transaction = parseObject(Transaction, value, "a transaction");
  const { amount: decimal, currency, credit, postedDate, sourceId } = transaction;
  const { sourceExternalReference: externalReference } = transaction;
  const type = typeOf(transaction.type);
  // Both accounts have a transaction of it.
  if (type === "TRANSFER" && !credit) return undefined;
  const amount = CURRENCIES.fromDecimal(decimal.replace("-", ""), currency);
  if (amount === undefined) {
    noteCurrency("transaction", transaction.id, currency);
    return undefined;
  }
  const source = type === "TRANSFER" ? await findSource(client, sourceId) : undefined;
  const ends = credit ? { ...source, destinationReference: account } : { sourceReference: account };
  return {
    reference: sourceId,
    createdAt: postedDate,
    type,
    ...amount,
    scheme: "OTHER",
    status: "SUCCEEDED",
    ...initiationOf({ externalReference }),
    ...ends,
    metadata: {},
    raw: rawOf(value),
  };
}

/** The account that a transfer comes from, which only the payment names, and the reference that was given with it. */
async function findSource(
  client: ModulrClient,
  id: string,
): Promise<Pick<ProviderPayment, "sourceReference" | "initiationReference"> | undefined> {
  const value = await client.findPayment(id);
  if (value === undefined) return undefined;
  const order = readOrder(value);
  return { sourceReference: order.details.sourceAccountId, ...initiationOf(order) };
}
