import { z } from "zod";
import { CURRENCIES, type ModulrClient, ModulrTime, skipCurrency } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const Account = z.object({
  id: kit.Text,
  name: kit.OptionalText,
  currency: kit.Text,
  createdDate: ModulrTime,
});

/** The accounts, in the order of creation. */
export const fetchAccounts = (
  client: ModulrClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchTimeList(request, {
    readPage: async ({ page, pageSize, from }) => {
      const order = { sortField: "createdDate", sortOrder: "asc" };
      const query = { page: page - 1, size: pageSize, ...order };
      const since = { name: "fromCreatedDate", time: from };
      return (await client.list("/accounts", query, since)).content;
    },
    read: toAccount,
  });

function toAccount(value: unknown): kit.Listed<kit.ProviderAccount> | undefined {
  const { id, name, currency, createdDate } = kit.parseObject(Account, value, "an account");
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return skipCurrency("account", id, currency);
  const item: kit.ProviderAccount = {
    reference: id,
    createdAt: createdDate,
    ...kit.given({ name }),
    defaultAsset: asset,
    metadata: {},
    raw: kit.rawOf(value),
  };
  return { item, time: createdDate, identity: id };
}

const Balance = z.object({ balance: kit.DecimalText, currency: kit.Text });

/** The balance of an account. */
export async function fetchBalances(
  { client, clock }: kit.ClientWith<ModulrClient, "clock">,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference } = kit.requireAccount(parent, "balances");
  const path = `/accounts/${encodeURIComponent(reference)}`;
  const found = await client.find(path, Balance, "an account");
  const amount = found && CURRENCIES.fromDecimal(found.balance, found.currency);
  return kit.onlyBalance(reference, clock(), amount);
}

const Beneficiary = z.object({
  id: kit.Text,
  name: kit.OptionalText,
  created: ModulrTime,
  status: kit.OptionalText,
});

/** The beneficiaries. The provider gives the beneficiaries that have changed since the creation of the newest known one. */
export const fetchBeneficiaries = (
  client: ModulrClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchTimeList(request, {
    readPage: async ({ page, pageSize, from }) => {
      const since = { name: "modifiedSince", time: from };
      const query = { page: page - 1, size: pageSize };
      return (await client.list("/beneficiaries", query, since)).content;
    },
    read: toBeneficiary,
  });

function toBeneficiary(value: unknown): kit.Listed<kit.ProviderAccount> {
  const { id, name, created, status } = kit.parseObject(Beneficiary, value, "a beneficiary");
  const item: kit.ProviderAccount = {
    reference: id,
    createdAt: created,
    ...kit.given({ name }),
    metadata: status === undefined ? {} : { status },
    raw: kit.rawOf(value),
  };
  return { item, time: created, identity: `${id} ${name} ${status}` };
}
