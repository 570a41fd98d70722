import { z } from "zod";
import {
  accountPath,
  CURRENCIES,
  type MoneycorpClient,
  MoneycorpTime,
  noteCurrency,
  MoneycorpResource,
} from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { fetchGrowingList } from "#modules/payments/connectors/kit/growing-list.ts";
import { readPage } from "#modules/payments/connectors/kit/items.ts";
import {
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyPageOf } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

/** A page of a list that grows at its end. The provider counts pages from 0. */
const fetchGrowing = (
  client: MoneycorpClient,
  request: FetchRequest,
  { path, sortBy }: { readonly path: string; readonly sortBy: string },
): Promise<FetchPage<MoneycorpResource>> =>
  fetchGrowingList(request, {
    readPage: ({ page, pageSize }) => client.list(path, { page: page - 1, pageSize, sortBy }),
    read: (value) => {
      const item = parseObject(MoneycorpResource, value, "an object of a list");
      return { id: item.id, item };
    },
  });

interface Reader {
  readonly client: MoneycorpClient;
  readonly clock: Clock;
}

/** The accounts of the login, by their ids, which grow. The provider does not say when one was made. */
export async function fetchAccounts(
  { client, clock }: Reader,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const list = { path: "/accounts", sortBy: "id.asc" };
  const page = await fetchGrowing(client, request, list);
  const now = clock();
  return readPage(page, (value) => toAccount(value, now));
}

const Account = z.object({ accountName: OptionalText });

function toAccount(value: MoneycorpResource, now: Timestamp): ProviderAccount {
  const { accountName } = parseObject(Account, value.attributes, "an account");
  return {
    reference: value.id,
    createdAt: now,
    ...(accountName === undefined ? {} : { name: accountName }),
    metadata: {},
    raw: rawOf(value),
  };
}

/** The account that a fetch is for. */
export function accountOf({ parent }: Pick<FetchRequest, "parent">): string {
  if (parent === undefined) throw new ConnectorError("invalid", "this belongs to an account");
  return parent.reference;
}

const Balance = z.object({ currencyCode: Text, availableBalance: DecimalText });

/** What is available of each currency on an account. */
export async function fetchBalances(
  { client, clock }: Reader,
  request: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const account = accountOf(request);
  const values = await client.list(`${accountPath(account)}/balances`);
  const createdAt = clock();
  return onlyPageOf(values, (value): ProviderBalance | undefined => {
    const { id, attributes } = parseObject(MoneycorpResource, value, "a balance");
    const { currencyCode, availableBalance } = parseObject(Balance, attributes, "a balance");
    const amount = CURRENCIES.fromDecimal(availableBalance, currencyCode);
    if (amount === undefined) noteCurrency("balance", id, currencyCode);
    return amount === undefined ? undefined : { accountReference: account, createdAt, ...amount };
  });
}

const Recipient = z.object({
  bankAccountName: OptionalText,
  bankAccountCurrency: Text,
  createdAt: MoneycorpTime,
});

/** The recipients of an account, in the order in which they were made. */
export async function fetchRecipients(
  client: MoneycorpClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const path = `${accountPath(accountOf(request))}/recipients`;
  const page = await fetchGrowing(client, request, { path, sortBy: "createdAt.asc" });
  return readPage(page, toRecipient);
}

function toRecipient(value: MoneycorpResource): ProviderAccount | undefined {
  const recipient = parseObject(Recipient, value.attributes, "a recipient");
  const { bankAccountName: name, bankAccountCurrency: currency, createdAt } = recipient;
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) {
    noteCurrency("recipient", value.id, currency);
    return undefined;
  }
  return {
    reference: value.id,
    createdAt,
    ...(name === undefined ? {} : { name }),
    defaultAsset: asset,
    metadata: {},
    raw: rawOf(value),
  };
}
