import { z } from "zod";
import { amountOf, CURRENCIES, Funds, type MangopayClient } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import {
  OptionalText,
  parseObject,
  Text,
  UnixSeconds,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyBalance, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import type { ParentItem } from "#modules/payments/connectors/webhook-contract.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Clock } from "#platform/time.ts";

const User = z.object({ Id: Text });

/** The users of the client. Nothing else of them is kept: they are persons. */
export const fetchUsers = (
  client: MangopayClient,
  request: FetchRequest,
): Promise<FetchPage<ParentItem>> =>
  client.fetchList("/users", request, (value) => {
    const { Id: reference } = parseObject(User, value, "a user");
    return { reference, raw: stringifyJson({ Id: reference }) };
  });

function userOf({ other }: Pick<FetchRequest, "other">): string {
  if (other === undefined) throw new ConnectorError("invalid", "this belongs to a user");
  return other.reference;
}

const pathOf = (user: string, list: string): string => `/users/${encodeURIComponent(user)}/${list}`;

const Wallet = z.object({
  Id: Text,
  Description: OptionalText,
  Currency: Text,
  CreationDate: UnixSeconds,
});

/** The wallets of a user. */
export function fetchAccounts(
  client: MangopayClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const userID = userOf(request);
  return client.fetchList(pathOf(userID, "wallets"), request, (value) => {
    const wallet = parseObject(Wallet, value, "a wallet");
    const asset = CURRENCIES.assetOf(wallet.Currency);
    return {
      reference: wallet.Id,
      createdAt: wallet.CreationDate,
      ...(wallet.Description === undefined ? {} : { name: wallet.Description }),
      ...(asset === undefined ? {} : { defaultAsset: asset }),
      metadata: { userID },
      raw: rawOf(value),
    };
  });
}

const BankAccount = z.object({ Id: Text, OwnerName: OptionalText, CreationDate: UnixSeconds });

/** The bank accounts of a user. */
export function fetchExternalAccounts(
  client: MangopayClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const user = userOf(request);
  const path = pathOf(user, "bankaccounts");
  return client.fetchList(path, request, (value) => toExternalAccount(value, user));
}

export function toExternalAccount(value: unknown, user: string): ProviderAccount {
  const account = parseObject(BankAccount, value, "a bank account");
  return {
    reference: account.Id,
    createdAt: account.CreationDate,
    ...(account.OwnerName === undefined ? {} : { name: account.OwnerName }),
    metadata: { user_id: user },
    raw: rawOf(value),
  };
}

const WalletBalance = z.object({ Balance: Funds });

/** What is in a wallet now. */
export async function fetchBalances(
  { client, clock }: { readonly client: MangopayClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference } = requireAccount(parent, "balances");
  const path = `/wallets/${encodeURIComponent(reference)}`;
  const wallet = await client.find(path, WalletBalance, "a wallet");
  const amount = wallet && amountOf(wallet.Balance, reference);
  return onlyBalance(reference, clock(), amount);
}
