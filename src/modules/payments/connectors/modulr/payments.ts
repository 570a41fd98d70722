import { z } from "zod";
import { CURRENCIES, type ModulrClient, ModulrTime, skipCurrency, toNewestPage } from "./client.ts";
import { endOfPayment, initiationOf, readOrder } from "./orders.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Clock } from "#platform/time.ts";

/** The types of transactions whose prefix does not decide. */
export const TYPES: Readonly<Record<string, kit.PaymentType>> = {
  PI_REV: "OTHER",
  PO_REV: "OTHER",
  ADHOC: "OTHER",
  INT_INTERC: "TRANSFER",
};

/** The prefixes of the types of all other transactions; types without one of these prefixes are `OTHER`. */
export const PREFIXES: Readonly<Record<string, kit.PaymentType>> = {
  PI_: "PAY-IN",
  PO_: "PAYOUT",
};

export const typeOf = (type: string): kit.PaymentType =>
  kit.rowOf(TYPES, type) ?? kit.rowOf(PREFIXES, type.slice(0, 3)) ?? "OTHER";

const Transaction = z.object({
  id: kit.Text,
  amount: kit.DecimalText,
  currency: kit.Text,
  type: z.string(),
  credit: z.boolean(),
  postedDate: ModulrTime,
  sourceId: kit.Text,
  /** The reference that the payment of the transaction was created with. */
  sourceExternalReference: kit.OptionalText,
});

export interface ModulrReader {
  readonly client: ModulrClient;
  readonly clock: Clock;
  readonly open: kit.OpenMovements;
}

/** The transactions of an account, and afterwards the payments from it that have ended without a transaction. */
export async function fetchPayments(
  reader: ModulrReader,
  { parent, state, pageSize }: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  const { reference: account } = kit.requireAccount(parent, "payments");
  const { client, open } = reader;
  return open.fetch({
    account,
    state,
    readList: async (list) => {
      const page = await readTransactions(client, account, { state: list, pageSize });
      return kit.readPageAsync(page, (value) => toPayment(client, account, value));
    },
    endOf: (id) => endOfPayment(reader, id),
  });
}

const readTransactions = (
  client: ModulrClient,
  account: string,
  request: Pick<kit.FetchRequest, "state" | "pageSize">,
) =>
  kit.fetchNewestList(request, {
    readPage: async ({ since, cursor = "0", pageSize }) => {
      const path = `/accounts/${encodeURIComponent(account)}/transactions`;
      const query = { page: cursor, size: pageSize };
      return toNewestPage(await client.list(path, query, { name: "fromPostedDate", time: since }));
    },
    read: (value) => {
      const { id, postedDate } = kit.parseObject(Transaction, value, "a transaction");
      return { id, time: postedDate, item: value };
    },
  });

/** The payment of a transaction of an account; undefined for the paying side of a transfer, and for an unsupported currency. */
export async function toPayment(
  client: ModulrClient,
  account: string,
  value: unknown,
): Promise<kit.ProviderPayment | undefined> {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  const { amount: decimal, currency, credit, postedDate, sourceId } = transaction;
  const { sourceExternalReference: externalReference } = transaction;
  const type = typeOf(transaction.type);
  // Both accounts have a transaction of a transfer.
  if (type === "TRANSFER" && !credit) return undefined;
  const amount = CURRENCIES.fromDecimal(decimal.replace("-", ""), currency);
  if (amount === undefined) return skipCurrency("transaction", transaction.id, currency);
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
    raw: kit.rawOf(value),
  };
}

/** The source account of a transfer, which only the payment contains, and the reference that the payment was created with. */
async function findSource(
  client: ModulrClient,
  id: string,
): Promise<Pick<kit.ProviderPayment, "sourceReference" | "initiationReference"> | undefined> {
  const value = await client.findPayment(id);
  if (value === undefined) return undefined;
  const order = readOrder(value);
  return { sourceReference: order.details.sourceAccountId, ...initiationOf(order) };
}
