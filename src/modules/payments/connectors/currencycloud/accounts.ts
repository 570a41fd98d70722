import { z } from "zod";
import { CURRENCIES, type CurrencycloudClient, skipCurrency } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Timestamp } from "#platform/time.ts";

const Account = z.object({
  id: kit.Text,
  account_name: kit.OptionalText,
  created_at: kit.Date3339,
  updated_at: kit.Date3339,
});

/** The account of the login, and its sub-accounts. */
export const fetchAccounts = (
  client: CurrencycloudClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  fetchChanged(request, {
    readPage: ({ page, pageSize }) =>
      readPage(client, "accounts", { page, per_page: pageSize, order: "updated_at" }),
    read: toAccount,
  });

function toAccount(value: unknown): kit.Listed<kit.ProviderAccount> {
  const { id, account_name, created_at, updated_at } = kit.parseObject(
    Account,
    value,
    "an account",
  );
  const item: kit.ProviderAccount = {
    reference: id,
    createdAt: created_at,
    ...kit.given({ name: account_name }),
    metadata: {},
    raw: kit.rawOf(value),
  };
  return { item, time: updated_at, identity: `${id} ${updated_at}` };
}

const Beneficiary = Account.omit({ account_name: true }).extend({
  name: kit.OptionalText,
  bank_account_holder_name: kit.OptionalText,
  currency: kit.Text,
});

export const fetchBeneficiaries = (
  client: CurrencycloudClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  fetchChanged(request, {
    readPage: ({ page, pageSize }) =>
      readPage(client, "beneficiaries", { page, per_page: pageSize, order: "created_at" }),
    read: toBeneficiary,
  });

function toBeneficiary(value: unknown): kit.Listed<kit.ProviderAccount> | undefined {
  const beneficiary = kit.parseObject(Beneficiary, value, "a beneficiary");
  const { id, created_at, updated_at, currency } = beneficiary;
  const name = beneficiary.name ?? beneficiary.bank_account_holder_name;
  if (CURRENCIES.assetOf(currency) === undefined) return skipCurrency("beneficiary", id, currency);
  const item: kit.ProviderAccount = {
    reference: id,
    createdAt: created_at,
    ...kit.given({ name }),
    // Clients get the bare code of the currency here, without its decimals.
    defaultAsset: currency.toUpperCase(),
    metadata: {},
    raw: kit.rawOf(value),
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

/**
 * Fetches a list that cannot be filtered by time of change: each run reads the whole list, and gives the items that have changed since the
 * previous run.
 */
function fetchChanged(
  request: kit.FetchRequest,
  { readPage, read }: kit.TimeList<kit.ProviderAccount>,
): Promise<kit.AccountsPage> {
  let since: Timestamp | undefined;
  return kit.fetchTimeList(request, {
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
  id: kit.Text,
  account_id: kit.Text,
  currency: kit.Text,
  amount: kit.DecimalText,
  updated_at: kit.Date3339,
});

const BalanceState = z.object({ page: z.int().min(1).default(1) });

/** The balances of all accounts. Each run reads the whole list. */
export async function fetchBalances(
  client: CurrencycloudClient,
  { state, pageSize }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { page } = BalanceState.parse(state ?? {});
  const { values, next } = await client.list("balances", { page, per_page: pageSize });
  return {
    ...kit.readEach(values, toBalance),
    state: next === undefined ? undefined : { page: next },
    // If the provider answers with the previous page, that page gives this page as the next one; then the next run continues here.
    hasMore: next !== undefined && next > page,
  };
}

function toBalance(value: unknown): kit.ProviderBalance | undefined {
  const { id, account_id, currency, amount, updated_at } = kit.parseObject(
    Balance,
    value,
    "a balance",
  );
  const counted = CURRENCIES.fromDecimal(amount, currency);
  if (counted === undefined) return skipCurrency("balance", id, currency);
  return { accountReference: account_id, createdAt: updated_at, ...counted };
}
