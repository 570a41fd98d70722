import { z } from "zod";
import {
  accountPath,
  CURRENCIES,
  type MoneycorpClient,
  MoneycorpTime,
  skipCurrency,
  MoneycorpResource,
} from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import type { Timestamp } from "#platform/time.ts";

/** A page of a list that grows only at its end. The provider numbers pages from 0. */
const fetchGrowing = (
  client: MoneycorpClient,
  request: kit.FetchRequest,
  { path, sortBy }: { readonly path: string; readonly sortBy: string },
): Promise<kit.FetchPage<MoneycorpResource>> =>
  kit.fetchGrowingList(request, {
    readPage: ({ page, pageSize }) => client.list(path, { page: page - 1, pageSize, sortBy }),
    read: (value) => {
      const item = kit.parseObject(MoneycorpResource, value, "an object of a list");
      return { id: item.id, item };
    },
  });

type Reader = kit.ClientWith<MoneycorpClient, "clock">;

/** The accounts of the login, in the order of their ids, which increase. The provider gives no time of creation. */
export async function fetchAccounts(
  { client, clock }: Reader,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const list = { path: "/accounts", sortBy: "id.asc" };
  const page = await fetchGrowing(client, request, list);
  const now = clock();
  return kit.readPage(page, (value) => toAccount(value, now));
}

const Account = z.object({ accountName: kit.OptionalText });

function toAccount(value: MoneycorpResource, now: Timestamp): kit.ProviderAccount {
  const { accountName } = kit.parseObject(Account, value.attributes, "an account");
  return {
    reference: value.id,
    createdAt: now,
    ...kit.given({ name: accountName }),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/** The account that is the parent of a fetch. Throws `ConnectorError` if there is none. */
export function accountOf({ parent }: Pick<kit.FetchRequest, "parent">): string {
  if (parent === undefined) throw kit.refused("this belongs to an account");
  return parent.reference;
}

const Balance = z.object({ currencyCode: kit.Text, availableBalance: kit.DecimalText });

/** The available balances of an account, one for each currency. */
export async function fetchBalances(
  { client, clock }: Reader,
  request: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const account = accountOf(request);
  const values = await client.list(`${accountPath(account)}/balances`);
  const createdAt = clock();
  return kit.onlyPageOf(values, (value): kit.ProviderBalance | undefined => {
    const { id, attributes } = kit.parseObject(MoneycorpResource, value, "a balance");
    const { currencyCode, availableBalance } = kit.parseObject(Balance, attributes, "a balance");
    const amount = CURRENCIES.fromDecimal(availableBalance, currencyCode);
    if (amount === undefined) skipCurrency("balance", id, currencyCode);
    return amount === undefined ? undefined : { accountReference: account, createdAt, ...amount };
  });
}

const Recipient = z.object({
  bankAccountName: kit.OptionalText,
  bankAccountCurrency: kit.Text,
  createdAt: MoneycorpTime,
});

/** The recipients of an account, in the order of creation. */
export async function fetchRecipients(
  client: MoneycorpClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  const path = `${accountPath(accountOf(request))}/recipients`;
  const page = await fetchGrowing(client, request, { path, sortBy: "createdAt.asc" });
  return kit.readPage(page, toRecipient);
}

function toRecipient(value: MoneycorpResource): kit.ProviderAccount | undefined {
  const recipient = kit.parseObject(Recipient, value.attributes, "a recipient");
  const { bankAccountName: name, bankAccountCurrency: currency, createdAt } = recipient;
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return skipCurrency("recipient", value.id, currency);
  return {
    reference: value.id,
    createdAt,
    ...kit.given({ name }),
    defaultAsset: asset,
    metadata: {},
    raw: kit.rawOf(value),
  };
}
