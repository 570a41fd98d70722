import { z } from "zod";
import { CURRENCIES, type ModulrClient, ModulrTime, noteCurrency } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import {
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyBalance, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeList, type Listed } from "#modules/payments/connectors/kit/time-list.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import type { Clock } from "#platform/time.ts";

const Account = z.object({ id: Text, name: OptionalText, currency: Text, createdDate: ModulrTime });

/** The accounts, in the order in which they were made. */
export const fetchAccounts = (
  client: ModulrClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchTimeList(request, {
    readPage: async ({ page, pageSize, from }) => {
      const order = { sortField: "createdDate", sortOrder: "asc" };
      const query = { page: page - 1, size: pageSize, ...order };
      const since = { name: "fromCreatedDate", time: from };
      return (await client.list("/accounts", query, since)).content;
    },
    read: toAccount,
  });

function toAccount(value: unknown): Listed<ProviderAccount> | undefined {
  const { id, name, currency, createdDate } = parseObject(Account, value, "an account");
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return leftOut(id, currency);
  const item: ProviderAccount = {
    reference: id,
    createdAt: createdDate,
    ...(name === undefined ? {} : { name }),
    defaultAsset: asset,
    metadata: {},
    raw: rawOf(value),
  };
  return { item, time: createdDate, identity: id };
}

function leftOut(id: string, currency: string): undefined {
  noteCurrency("account", id, currency);
}

const Balance = z.object({ balance: DecimalText, currency: Text });

/** What is there now on one account. */
export async function fetchBalances(
  { client, clock }: { readonly client: ModulrClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference } = requireAccount(parent, "balances");
  const path = `/accounts/${encodeURIComponent(reference)}`;
  const found = await client.find(path, Balance, "an account");
  const amount = found && CURRENCIES.fromDecimal(found.balance, found.currency);
  return onlyBalance(reference, clock(), amount);
}

const Beneficiary = z.object({
  id: Text,
  name: OptionalText,
  created: ModulrTime,
  status: OptionalText,
});

/** The beneficiaries. The provider gives those that were changed since the newest one was made. */
export const fetchBeneficiaries = (
  client: ModulrClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchTimeList(request, {
    readPage: async ({ page, pageSize, from }) => {
      const since = { name: "modifiedSince", time: from };
      const query = { page: page - 1, size: pageSize };
      return (await client.list("/beneficiaries", query, since)).content;
    },
    read: toBeneficiary,
  });

function toBeneficiary(value: unknown): Listed<ProviderAccount> {
  const { id, name, created, status } = parseObject(Beneficiary, value, "a beneficiary");
  const item: ProviderAccount = {
    reference: id,
    createdAt: created,
    ...(name === undefined ? {} : { name }),
    metadata: status === undefined ? {} : { status },
    raw: rawOf(value),
  };
  return { item, time: created, identity: `${id} ${name} ${status}` };
}
