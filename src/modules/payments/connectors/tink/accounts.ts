import { z } from "zod";
import { amountOf, assetOf, TinkAmount } from "./amounts.ts";
import type { TinkClient } from "./client.ts";
import { readOwnership } from "./consents.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import {
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTokenList } from "#modules/payments/connectors/kit/token-list.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

const Balance = z.object({ amount: TinkAmount }).nullish();

const Account = z.object({
  id: Text,
  name: OptionalText,
  balances: z.object({ booked: Balance, available: Balance }).nullish(),
  dates: z.object({ lastRefreshed: Date3339.nullish() }).nullish(),
});
type Account = z.output<typeof Account>;

interface Reading {
  readonly client: TinkClient;
  readonly clock: Clock;
}

/** What the application itself sees is nothing: accounts belong to connections of users. */
export const NOTHING = onlyPage<never>([]);

/** The accounts of a connection. */
export async function fetchAccounts(
  { client, clock }: Reading,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const { connection } = request;
  if (connection === undefined) return NOTHING;
  const { user, connectionId } = connection;
  const ownership = await readOwnership(client, user.id);
  return fetchTokenList(request, {
    readPage: ({ token, pageSize }) =>
      client.list(user.id, "accounts", { pageSize, pageToken: token }),
    read: (value) => {
      const account = toAccount(value, clock());
      return ownership.isOf(account.reference, connectionId) ? account : undefined;
    },
  });
}

/** The provider does not say when an account was opened; the first time that is stored stays. */
export function toAccount(value: unknown, now: Timestamp): ProviderAccount {
  const account = parseObject(Account, value, "an account");
  const currency = account.balances?.booked?.amount.currencyCode;
  const asset = currency === undefined ? undefined : assetOf(currency);
  return {
    reference: account.id,
    createdAt: account.dates?.lastRefreshed ?? now,
    ...(account.name === undefined ? {} : { name: account.name }),
    ...(asset === undefined ? {} : { defaultAsset: asset }),
    metadata: {},
    raw: rawOf(value),
  };
}

/** What is booked on an account; none where the provider does not say, or the currency is not known. */
export function toBalances(value: unknown, now: Timestamp): ProviderBalance[] {
  const { id, balances, dates }: Account = parseObject(Account, value, "an account");
  const amount = balances?.booked ? amountOf(balances.booked.amount) : undefined;
  const createdAt = dates?.lastRefreshed ?? now;
  return amount === undefined ? [] : [{ accountReference: id, createdAt, ...amount }];
}

/** An account of a user as the provider has it now; undefined where it is gone. */
export function readAccount(client: TinkClient, user: string, id: string): Promise<unknown> {
  const call = { path: `/data/v2/accounts/${encodeURIComponent(id)}` };
  return client.user(user).find(call, z.unknown(), "an account");
}

/** The balance of an account, which is asked for in the name of its user. */
export async function fetchBalances(
  { client, clock }: Reading,
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  if (parent?.psuId === undefined) {
    throw new ConnectorError("invalid", "balances belong to an account of a user");
  }
  const value = await readAccount(client, parent.psuId, parent.reference);
  const items = value === undefined ? [] : toBalances(value, clock());
  return onlyPage(items);
}
