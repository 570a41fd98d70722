import { z } from "zod";
import type { BankingCircleClient } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  BankAccountDetails,
  FetchPage,
  FetchRequest,
  PluginStore,
  StoredAccount,
} from "#modules/payments/connectors/contract.ts";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import {
  Date3339,
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeList, secondOf } from "#modules/payments/connectors/kit/time-list.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";
import type { Clock } from "#platform/time.ts";

/** Amounts are decimal numbers. */
export const CURRENCIES = new Currencies();

const Account = z.object({
  accountId: Text,
  accountDescription: OptionalText,
  currency: OptionalText,
  openingDate: Date3339,
});

/** The accounts at the bank, in the order in which they were opened. */
export const fetchAccounts = (
  client: BankingCircleClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchTimeList(request, {
    readPage: ({ from, ...place }) =>
      client.list("/api/v1/accounts", {
        ...place,
        ...(from === undefined ? {} : { OpeningDateFrom: secondOf(from) }),
      }),
    read: (value) => {
      const account = parseObject(Account, value, "an account");
      const { accountId, accountDescription: name, openingDate, currency } = account;
      const asset = currency === undefined ? undefined : CURRENCIES.assetOf(currency);
      const item = {
        reference: accountId,
        createdAt: openingDate,
        ...(name === undefined ? {} : { name }),
        ...(asset === undefined ? {} : { defaultAsset: asset }),
        metadata: {},
        raw: rawOf(value),
      };
      return { item, time: openingDate, identity: accountId };
    },
  });

const Balances = z.object({
  balances: z
    .array(z.object({ currency: Text, beginOfDayAmount: DecimalText, intraDayAmount: DecimalText }))
    .nullish(),
});

const pathOf = (account: string): string => `/api/v1/accounts/${encodeURIComponent(account)}`;

/** What an account has begun the day with, and what has moved since. */
export async function fetchBalances(
  { client, clock }: { readonly client: BankingCircleClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference } = requireAccount(parent, "balances");
  const account = await client.find(pathOf(reference), Balances, "an account");
  const items = (account?.balances ?? []).flatMap((balance) => {
    const [begun, moved] = [balance.beginOfDayAmount, balance.intraDayAmount].map((decimal) =>
      CURRENCIES.fromDecimal(decimal, balance.currency),
    );
    if (begun === undefined || moved === undefined) return [];
    const amount = begun.amount + moved.amount;
    return [{ accountReference: reference, createdAt: clock(), asset: begun.asset, amount }];
  });
  return onlyPage(items);
}

/** How the bank knows an account, here or at another bank. */
const Identifier = z.object({
  account: Text,
  financialInstitution: z.string().nullish(),
  country: z.string().nullish(),
});
export type Identifier = z.output<typeof Identifier>;

const Identified = z.object({ accountIdentifiers: z.array(Identifier) });

/** The first identifier of an account at the bank. */
export async function identifierOf(
  client: BankingCircleClient,
  reference: string,
): Promise<Identifier> {
  const account = await client.find(pathOf(reference), Identified, "an account");
  const [first] = account?.accountIdentifiers ?? [];
  if (first === undefined) throw refused("the account has no identifier at the bank");
  return first;
}

/** Where the numbers of a bank account are kept, encrypted: payouts need them. */
const nameOf = (id: string): string => `bank-account/${id}/`;

/** The bank does not know accounts at other banks: what a payout needs is kept here. */
export async function createBankAccount(
  store: PluginStore,
  { id, createdAt, name, iban, accountNumber, swiftBicCode, country, metadata }: BankAccountDetails,
): Promise<ProviderAccount> {
  const account = iban ?? accountNumber;
  if (account === undefined) throw refused("an IBAN or an account number is required");
  const identifier = { account, financialInstitution: swiftBicCode, country };
  await store.insert({ name: nameOf(id), value: stringifyJson(identifier) });
  return { reference: id, createdAt, name, metadata, raw: "{}" };
}

/** The numbers of a bank account that was forwarded. */
export async function keptIdentifierOf(
  store: PluginStore,
  { reference }: StoredAccount,
): Promise<Identifier> {
  const kept = await store.find(nameOf(reference));
  if (kept !== undefined) return parseObject(Identifier, parseJson(kept), "a bank account");
  throw refused("the destination of a payout has to be a bank account that was forwarded here");
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);
