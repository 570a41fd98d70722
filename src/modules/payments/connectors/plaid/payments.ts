import { z } from "zod";
import { NOTHING, tokenOf } from "./accounts.ts";
import { CURRENCIES, isPlaidError, type PlaidClient } from "./client.ts";
import type {
  FetchRequest,
  PaymentPage,
  PluginStore,
} from "#modules/payments/connectors/contract.ts";
import { readEach } from "#modules/payments/connectors/kit/items.ts";
import {
  Date3339,
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";

/** Where the list of changes goes on; empty for its beginning. */
const State = z.object({ cursor: z.string() });

const Changes = z.object({
  added: z.array(z.unknown()),
  modified: z.array(z.unknown()),
  removed: z.array(z.object({ transaction_id: Text })),
  next_cursor: z.string(),
  has_more: z.boolean(),
});

const Transaction = z.object({
  transaction_id: Text,
  account_id: Text,
  amount: DecimalText,
  iso_currency_code: OptionalText,
  date: z
    .string()
    .transform((date) => `${date}T00:00:00Z`)
    .pipe(Date3339),
  datetime: Date3339.nullish(),
});

/** The provider's word for transactions that change while they are read: they are read from the beginning then. */
const MUTATION = "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION";

/**
 * The changes of the transactions of a connection, page by page. A place is kept as soon as what is before it is stored, so that the next
 * fetch goes on at the last page of this one.
 */
export async function fetchPayments(
  { client, store }: { readonly client: PlaidClient; readonly store: PluginStore },
  { connection, state, pageSize }: FetchRequest,
): Promise<PaymentPage> {
  if (connection === undefined) return NOTHING;
  const name = `cursor/${connection.connectionId}/`;
  const cursor = await cursorOf(store, name, state);
  const json = {
    access_token: tokenOf(connection),
    count: pageSize,
    ...(cursor === "" ? {} : { cursor }),
  };
  try {
    const call = { path: "/transactions/sync", json, isRead: true };
    const changes = await client.call(call, Changes);
    return {
      ...readEach([...changes.added, ...changes.modified], toPayment),
      deleted: changes.removed.map(({ transaction_id }) => transaction_id),
      state: { cursor: changes.next_cursor },
      hasMore: changes.has_more,
    };
  } catch (error) {
    if (!isPlaidError(error, MUTATION) || cursor === "") throw error;
    return { items: [], state: { cursor: "" }, hasMore: true };
  }
}

/** Where a page begins. What the state of a run says is kept for the next run. */
async function cursorOf(store: PluginStore, name: string, state: unknown): Promise<string> {
  const kept = await store.find(name);
  if (state === undefined || state === null) return kept ?? "";
  const { cursor } = State.parse(state);
  if (cursor === kept) return cursor;
  await store.remove(name);
  if (cursor !== "") await store.insert({ name, value: cursor });
  return cursor;
}

/** The payment that a transaction is; undefined for a currency that is not known. Money that leaves the account has a positive amount. */
export function toPayment(value: unknown): ProviderPayment | undefined {
  const transaction = parseObject(Transaction, value, "a transaction");
  const { transaction_id, account_id: account, amount: decimal, iso_currency_code } = transaction;
  const amount = CURRENCIES.fromDecimal(decimal.replace("-", ""), iso_currency_code ?? "");
  if (amount === undefined) return undefined;
  const isLeaving = !decimal.startsWith("-") && amount.amount > 0n;
  return {
    reference: transaction_id,
    createdAt: transaction.datetime ?? transaction.date,
    type: isLeaving ? "PAYOUT" : "PAY-IN",
    ...amount,
    scheme: "OTHER",
    status: "SUCCEEDED",
    ...(isLeaving ? { sourceReference: account } : { destinationReference: account }),
    metadata: {},
    raw: rawOf(value),
  };
}
