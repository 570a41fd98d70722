import { z } from "zod";
import { amountOf, CURRENCIES, TinkAmount } from "./amounts.ts";
import type { TinkClient } from "./client.ts";
import { fetchOwned } from "./consents.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Timestamp } from "#platform/time.ts";

const Balance = z.object({ amount: TinkAmount }).nullish();

const Account = z.object({
  id: kit.Text,
  name: kit.OptionalText,
  balances: z.object({ booked: Balance, available: Balance }).nullish(),
  dates: z.object({ lastRefreshed: kit.Date3339.nullish() }).nullish(),
});
type Account = z.output<typeof Account>;

type Reading = kit.ClientWith<TinkClient, "clock">;

/** The accounts of a connection. */
export const fetchAccounts = (
  { client, clock }: Reading,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  fetchOwned(client, { list: "accounts", request }, (value, isOwn) => {
    const account = toAccount(value, clock());
    return isOwn(account.reference) ? account : undefined;
  });

/** An account, as of its last refresh, because the provider gives no time of opening. The first time that is stored is kept. */
export function toAccount(value: unknown, now: Timestamp): kit.ProviderAccount {
  const account = kit.parseObject(Account, value, "an account");
  const currency = account.balances?.booked?.amount.currencyCode;
  const asset = CURRENCIES.assetOf(currency);
  return {
    reference: account.id,
    createdAt: account.dates?.lastRefreshed ?? now,
    ...kit.given({ name: account.name, defaultAsset: asset }),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/** The booked balance of an account; empty if the provider gives none, or if the currency is unknown. */
export function toBalances(value: unknown, now: Timestamp): kit.ProviderBalance[] {
  const { id, balances, dates }: Account = kit.parseObject(Account, value, "an account");
  const amount = balances?.booked ? amountOf(balances.booked.amount) : undefined;
  const createdAt = dates?.lastRefreshed ?? now;
  return amount === undefined ? [] : [{ accountReference: id, createdAt, ...amount }];
}

/** An account of a user; undefined if the provider does not have it any more. */
export function readAccount(client: TinkClient, user: string, id: string): Promise<unknown> {
  const call = { path: `/data/v2/accounts/${encodeURIComponent(id)}` };
  return client.user(user).find(call, z.unknown(), "an account");
}

/** The balance of an account, which is requested on behalf of its user. */
export async function fetchBalances(
  { client, clock }: Reading,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  if (parent?.psuId === undefined) {
    throw kit.refused("balances belong to an account of a user");
  }
  const value = await readAccount(client, parent.psuId, parent.reference);
  const items = value === undefined ? [] : toBalances(value, clock());
  return kit.onlyPage(items);
}
