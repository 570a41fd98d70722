import { z } from "zod";
import {
  accountPath,
  CURRENCIES,
  type MoneycorpClient,
  MoneycorpTime,
  noteCurrency,
  type MoneycorpResource,
} from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import {
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

const State = z.object({
  /** The page to ask for: the last one again, until it is full. */
  page: z.int().min(0).default(0),
  /** What is known of the page before, or of this one. */
  known: z.array(z.string()).default([]),
  /** Whether the last page has come in place of another one. */
  isRepeated: z.boolean().default(false),
});

/** A list that grows at its end. A full page that brings nothing new is an answer to another request, and is asked for again by the next run. */
async function fetchGrowing(
  { state: stored, pageSize }: FetchRequest,
  readPage: (place: {
    readonly page: number;
    readonly pageSize: number;
  }) => Promise<readonly MoneycorpResource[]>,
): Promise<FetchPage<MoneycorpResource>> {
  const state = State.parse(stored ?? {});
  const { page, known, isRepeated } = state;
  const values = await readPage({ page, pageSize });
  const fresh = values.filter(({ id }) => !known.includes(id));
  const isFull = values.length >= pageSize;
  if (isFull && fresh.length === 0 && !isRepeated) {
    return { items: [], state: { ...state, isRepeated: true }, hasMore: false };
  }
  const ids = values.map(({ id }) => id);
  return {
    items: fresh,
    state: { page: isFull ? page + 1 : page, known: ids, isRepeated: false },
    hasMore: isFull,
  };
}

interface Reader {
  readonly client: MoneycorpClient;
  readonly clock: Clock;
}

/** The accounts of the login, by their ids, which grow. The provider does not say when one was made. */
export async function fetchAccounts(
  { client, clock }: Reader,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  const page = await fetchGrowing(request, (place) =>
    client.list("/accounts", { ...place, sortBy: "id.asc" }),
  );
  const now = clock();
  return { ...page, items: page.items.map((value) => toAccount(value, now)) };
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
  const items = values.flatMap(({ id, attributes }): ProviderBalance[] => {
    const { currencyCode, availableBalance } = parseObject(Balance, attributes, "a balance");
    const amount = CURRENCIES.fromDecimal(availableBalance, currencyCode);
    if (amount === undefined) noteCurrency("balance", id, currencyCode);
    return amount === undefined ? [] : [{ accountReference: account, createdAt, ...amount }];
  });
  return { items, state: undefined, hasMore: false };
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
  const page = await fetchGrowing(request, (place) =>
    client.list(path, { ...place, sortBy: "createdAt.asc" }),
  );
  return { ...page, items: page.items.flatMap((value) => toRecipient(value) ?? []) };
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
