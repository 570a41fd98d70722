import { z } from "zod";
import { tokenOf } from "./accounts.ts";
import { CURRENCIES, isPlaidError, type PlaidClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The cursor of the next page of changes; empty for the beginning of the list. */
const State = z.object({ cursor: z.string() });

const Changes = z.object({
  added: z.array(z.unknown()),
  modified: z.array(z.unknown()),
  removed: z.array(z.object({ transaction_id: kit.Text })),
  next_cursor: z.string(),
  has_more: z.boolean(),
});

const Transaction = z.object({
  transaction_id: kit.Text,
  account_id: kit.Text,
  amount: kit.DecimalText,
  iso_currency_code: kit.OptionalText,
  date: z
    .string()
    .transform((date) => `${date}T00:00:00Z`)
    .pipe(kit.Date3339),
  datetime: kit.Date3339.nullish(),
});

/** The code of the error for transactions that have changed between two pages. They are read from the beginning again. */
const MUTATION = "TRANSACTIONS_SYNC_MUTATION_DURING_PAGINATION";

/**
 * The changes of the transactions of a connection, page by page. A cursor is stored as soon as the pages before it are, so that the next
 * fetch continues at the last page of this one.
 */
export async function fetchPayments(
  { client, store }: kit.ClientWith<PlaidClient, "store">,
  { connection, state, pageSize }: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  if (connection === undefined) return kit.EMPTY_PAGE;
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
      ...kit.readEach([...changes.added, ...changes.modified], toPayment),
      deleted: changes.removed.map(({ transaction_id }) => transaction_id),
      state: { cursor: changes.next_cursor },
      hasMore: changes.has_more,
    };
  } catch (error) {
    if (!isPlaidError(error, MUTATION) || cursor === "") throw error;
    return { items: [], state: { cursor: "" }, hasMore: true };
  }
}

/** The cursor of a page. The cursor in the state of a run is stored for the next run. */
async function cursorOf(store: kit.PluginStore, name: string, state: unknown): Promise<string> {
  const kept = await store.find(name);
  if (state === undefined || state === null) return kept ?? "";
  const { cursor } = State.parse(state);
  if (cursor === kept) return cursor;
  await store.removeByPrefix(name);
  if (cursor !== "") await store.insert({ name, value: cursor });
  return cursor;
}

/** The payment of a transaction; undefined for an unknown currency. Money that leaves the account has a positive amount. */
export function toPayment(value: unknown): kit.ProviderPayment | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
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
    raw: kit.rawOf(value),
  };
}
