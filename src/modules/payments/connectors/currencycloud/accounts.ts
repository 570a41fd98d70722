import { z } from "zod";
import { CURRENCIES, type CurrencycloudClient, noteCurrency } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { readEach } from "#modules/payments/connectors/kit/items.ts";
import {
  Date3339,
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeList, type Listed } from "#modules/payments/connectors/kit/time-list.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import type { Timestamp } from "#platform/time.ts";

const Account = z.object({
  id: Text,
  account_name: OptionalText,
  created_at: Date3339,
  updated_at: Date3339,
});

/** The account of the login and those below it. */
export const fetchAccounts = (
  client: CurrencycloudClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchChanged(request, {
    readPage: ({ page, pageSize }) =>
      readPage(client, "accounts", { page, per_page: pageSize, order: "updated_at" }),
    read: toAccount,
  });

function toAccount(value: unknown): Listed<ProviderAccount> {
  const { id, account_name, created_at, updated_at } = parseObject(Account, value, "an account");
  const item: ProviderAccount = {
    reference: id,
    createdAt: created_at,
    ...(account_name === undefined ? {} : { name: account_name }),
    metadata: {},
    raw: rawOf(value),
  };
  return { item, time: updated_at, identity: `${id} ${updated_at}` };
}

const Beneficiary = Account.omit({ account_name: true }).extend({
  name: OptionalText,
  bank_account_holder_name: OptionalText,
  currency: Text,
});

export const fetchBeneficiaries = (
  client: CurrencycloudClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchChanged(request, {
    readPage: ({ page, pageSize }) =>
      readPage(client, "beneficiaries", { page, per_page: pageSize, order: "created_at" }),
    read: toBeneficiary,
  });

function toBeneficiary(value: unknown): Listed<ProviderAccount> | undefined {
  const beneficiary = parseObject(Beneficiary, value, "a beneficiary");
  const { id, created_at, updated_at, currency } = beneficiary;
  const name = beneficiary.name ?? beneficiary.bank_account_holder_name;
  if (CURRENCIES.assetOf(currency) === undefined) {
    noteCurrency("beneficiary", id, currency);
    return undefined;
  }
  const item: ProviderAccount = {
    reference: id,
    createdAt: created_at,
    ...(name === undefined ? {} : { name }),
    // Clients know it as the bare code.
    defaultAsset: currency.toUpperCase(),
    metadata: {},
    raw: rawOf(value),
  };
  return { item, time: updated_at, identity: `${id} ${updated_at}` };
}

async function readPage(
  client: CurrencycloudClient,
  list: "accounts" | "beneficiaries",
  query: Readonly<Record<string, string | number>>,
): Promise<readonly unknown[]> {
  return (await client.list(list, { ...query, order_asc_desc: "asc" })).values;
}

interface ChangedList {
  readonly readPage: (place: {
    readonly page: number;
    readonly pageSize: number;
    readonly from?: Timestamp;
  }) => Promise<readonly unknown[]>;
  readonly read: (value: unknown) => Listed<ProviderAccount> | undefined;
}

/** A list that cannot be asked for changes: each run reads all of it, and gives what has changed since the one before. */
function fetchChanged(
  request: FetchRequest,
  { readPage, read }: ChangedList,
): Promise<FetchPage<ProviderAccount>> {
  let since: Timestamp | undefined;
  return fetchTimeList(request, {
    readPage: (place) => {
      since = place.from;
      return readPage(place);
    },
    read: (value) => {
      const listed = read(value);
      return listed !== undefined && since !== undefined && listed.time < since
        ? undefined
        : listed;
    },
  });
}

const Balance = z.object({
  id: Text,
  account_id: Text,
  currency: Text,
  amount: DecimalText,
  updated_at: Date3339,
});

const BalanceState = z.object({ page: z.int().min(1).default(1) });

/** The balances of all accounts. Each run reads all of them. */
export async function fetchBalances(
  client: CurrencycloudClient,
  { state, pageSize }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { page } = BalanceState.parse(state ?? {});
  const { values, next } = await client.list("balances", { page, per_page: pageSize });
  return {
    ...readEach(values, toBalance),
    state: next === undefined ? undefined : { page: next },
    // An answer to the request for the page before names this one again: the next run goes on there.
    hasMore: next !== undefined && next > page,
  };
}

function toBalance(value: unknown): ProviderBalance | undefined {
  const { id, account_id, currency, amount, updated_at } = parseObject(Balance, value, "a balance");
  const counted = CURRENCIES.fromDecimal(amount, currency);
  if (counted === undefined) {
    noteCurrency("balance", id, currency);
    return undefined;
  }
  return { accountReference: account_id, createdAt: updated_at, ...counted };
}
