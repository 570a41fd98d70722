import { z } from "zod";
import { amountOf, CURRENCIES, Funds, type MangopayClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";

const User = z.object({ Id: kit.Text });

/** The users of the client. Only their ids are stored, because users are persons. */
export const fetchUsers = (
  client: MangopayClient,
  request: kit.FetchRequest,
): Promise<kit.FetchPage<kit.ParentItem>> =>
  client.fetchList("/users", request, (value) => {
    const { Id: reference } = kit.parseObject(User, value, "a user");
    return { reference, raw: stringifyJson({ Id: reference }) };
  });

function userOf({ other }: Pick<kit.FetchRequest, "other">): string {
  if (other === undefined) throw kit.refused("this belongs to a user");
  return other.reference;
}

const pathOf = (user: string, list: string): string => `/users/${encodeURIComponent(user)}/${list}`;

const Wallet = z.object({
  Id: kit.Text,
  Description: kit.OptionalText,
  Currency: kit.Text,
  CreationDate: kit.UnixSeconds,
});

/** The wallets of a user. */
export function fetchAccounts(
  client: MangopayClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const userID = userOf(request);
  return client.fetchList(pathOf(userID, "wallets"), request, (value) => {
    const wallet = kit.parseObject(Wallet, value, "a wallet");
    const asset = CURRENCIES.assetOf(wallet.Currency);
    return {
      reference: wallet.Id,
      createdAt: wallet.CreationDate,
      ...kit.given({ name: wallet.Description, defaultAsset: asset }),
      metadata: { userID },
      raw: kit.rawOf(value),
    };
  });
}

const BankAccount = z.object({
  Id: kit.Text,
  OwnerName: kit.OptionalText,
  CreationDate: kit.UnixSeconds,
});

/** The bank accounts of a user. */
export function fetchExternalAccounts(
  client: MangopayClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const user = userOf(request);
  const path = pathOf(user, "bankaccounts");
  return client.fetchList(path, request, (value) => toExternalAccount(value, user));
}

export function toExternalAccount(value: unknown, user: string): kit.ProviderAccount {
  const account = kit.parseObject(BankAccount, value, "a bank account");
  return {
    reference: account.Id,
    createdAt: account.CreationDate,
    ...kit.given({ name: account.OwnerName }),
    metadata: { user_id: user },
    raw: kit.rawOf(value),
  };
}

const WalletBalance = z.object({ Balance: Funds });

/** The balance of a wallet. */
export async function fetchBalances(
  { client, clock }: kit.ClientWith<MangopayClient, "clock">,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference } = kit.requireAccount(parent, "balances");
  const path = `/wallets/${encodeURIComponent(reference)}`;
  const wallet = await client.find(path, WalletBalance, "a wallet");
  const amount = wallet && amountOf(wallet.Balance, reference);
  return kit.onlyBalance(reference, clock(), amount);
}
