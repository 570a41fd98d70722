import { z } from "zod";
import type { PowensClient } from "./client.ts";
import { ParisTime } from "./time.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { parseJson } from "#platform/json.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

const CURRENCIES = new kit.Currencies();

type Reader = kit.ClientWith<PowensClient, "clock">;

const Account = z.looseObject({
  id: kit.Id,
  name: kit.OptionalText,
  original_name: kit.OptionalText,
  currency: z.object({ id: kit.OptionalText }).nullish(),
  balance: kit.DecimalText.nullish(),
  last_update: ParisTime.nullish(),
});
type Account = z.output<typeof Account>;

const currencyOf = ({ currency }: Account): string => currency?.id ?? "";

/** The accounts of a connection: one answer has all of them. */
export async function fetchAccounts(
  { client, clock }: Reader,
  { connection }: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  if (connection === undefined) return kit.EMPTY_PAGE;
  const { forwarded, connectionId } = connection;
  const values = await client.listAccounts(forwarded, connectionId);
  const now = clock();
  return kit.onlyPageOf(values, (value) => toAccount(value, now));
}

/** An account without its transactions. The provider gives no time of opening; the time of the fetch or delivery is used. */
export function toAccount(value: unknown, now: Timestamp): kit.ProviderAccount {
  const { transactions: _transactions, ...kept } = z.looseObject({}).parse(value);
  const account = kit.parseObject(Account, value, "an account");
  const name = account.name ?? account.original_name;
  const defaultAsset = CURRENCIES.assetOf(currencyOf(account));
  return {
    reference: account.id,
    createdAt: now,
    ...kit.given({ name, defaultAsset }),
    metadata: {},
    raw: kit.rawOf(kept),
  };
}

/** The balance of an account, as of its last update. */
export function toBalances(value: unknown, now: Timestamp): kit.ProviderBalance[] {
  const account = kit.parseObject(Account.partial({ id: true }), value, "an account");
  const { id = "", balance, last_update, currency } = account;
  const amount =
    balance === undefined || balance === null
      ? undefined
      : CURRENCIES.fromDecimal(balance, currency?.id ?? "");
  return amount === undefined
    ? []
    : [{ accountReference: id, createdAt: last_update ?? now, ...amount }];
}

/** The balance of an account, which the stored object of the account contains. */
export function fetchBalances({ parent }: kit.FetchRequest, clock: Clock): kit.BalancesPage {
  const {
    raw,
    reference: accountReference,
    psuId,
    connectionId,
  } = kit.requireAccount(parent, "balances");
  const owner = kit.given({ psuId, connectionId });
  const items = toBalances(parseJson(raw), clock());
  return {
    ...kit.EMPTY_PAGE,
    items: items.map((item) => ({ ...item, accountReference, ...owner })),
  };
}

const Transaction = z.object({
  id: kit.Id,
  id_account: kit.Id.nullish(),
  value: kit.DecimalText,
  date: ParisTime,
  datetime: ParisTime.nullish(),
  coming: z.boolean().nullish(),
  deleted: z.string().nullish(),
});

/** The payments that transactions report. */
export interface Reported {
  readonly payments: readonly kit.ProviderPayment[];
  /** References of payments that the provider has withdrawn. */
  readonly deleted: readonly string[];
  readonly rejected: readonly kit.RejectedItem[];
  readonly read: readonly string[];
}

/** The payments of transactions, each in the currency of its account. Payments in an unknown currency are left out. */
export function toPayments(
  values: readonly unknown[],
  accounts: readonly unknown[],
  ofAccount?: string,
): Reported {
  const known = kit.readEach(accounts, (value): [string, string] => {
    const account = kit.parseObject(Account, value, "an account");
    return [account.id, currencyOf(account)];
  });
  const currencies = new Map(known.items);
  const deleted: string[] = [];
  const { items: payments, ...outcome } = kit.readEach(
    values,
    (value): kit.ProviderPayment | undefined => {
      const transaction = kit.parseObject(Transaction, value, "a transaction");
      const account = transaction.id_account ?? ofAccount ?? "";
      if (transaction.deleted !== undefined && transaction.deleted !== null) {
        deleted.push(transaction.id);
        return undefined;
      }
      const decimal = transaction.value.replace("-", "");
      const amount = CURRENCIES.fromDecimal(decimal, currencies.get(account) ?? "");
      if (amount === undefined) return undefined;
      const isLeaving = transaction.value.startsWith("-");
      return {
        reference: transaction.id,
        createdAt: transaction.datetime ?? transaction.date,
        type: isLeaving ? "PAYOUT" : "PAY-IN",
        ...amount,
        scheme: "OTHER",
        status: transaction.coming === true ? "PENDING" : "SUCCEEDED",
        ...(isLeaving ? { sourceReference: account } : { destinationReference: account }),
        metadata: {},
        raw: kit.rawOf(value),
      };
    },
  );
  return { payments, deleted, ...outcome };
}

const Identified = z.object({ id: kit.Id });

const State = z.object({
  offset: z.int().min(0).default(0),
  /** The id of the first transaction of the previous page. */
  first: z.string().optional(),
});

/**
 * A page of the transactions of a connection, the newest one first. If the provider answers with the previous page, the next run requests
 * this page again.
 */
export async function fetchPayments(
  client: PowensClient,
  { connection, state: stored, pageSize }: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  if (connection === undefined) return kit.EMPTY_PAGE;
  const { forwarded, connectionId } = connection;
  const state = State.parse(stored ?? {});
  const { offset } = state;
  const query = { limit: pageSize, offset };
  const values = await client.listTransactions(forwarded, connectionId, query);
  const [value] = values;
  const first = Identified.safeParse(value).data?.id;
  if (first !== undefined && first === state.first) return { items: [], state, hasMore: false };
  const accounts = values.length === 0 ? [] : await client.listAccounts(forwarded, connectionId);
  const { payments, ...reported } = toPayments(values, accounts);
  const hasMore = values.length >= pageSize;
  const next = hasMore ? { offset: offset + values.length, first } : undefined;
  return { items: payments, ...reported, state: next, hasMore };
}
