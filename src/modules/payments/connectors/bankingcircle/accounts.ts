import { z } from "zod";
import type { BankingCircleClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { parseJson, stringifyJson } from "#platform/json.ts";

/** All currencies of ISO 4217. Amounts are decimal numbers. */
export const CURRENCIES = new kit.Currencies();

const Account = z.object({
  accountId: kit.Text,
  accountDescription: kit.OptionalText,
  currency: kit.OptionalText,
  openingDate: kit.Date3339,
});

/** The accounts at the bank, in the order in which they were opened. */
export const fetchAccounts = (
  client: BankingCircleClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchTimeList(request, {
    readPage: ({ from, ...place }) =>
      client.list("/api/v1/accounts", {
        ...place,
        ...(from === undefined ? {} : { OpeningDateFrom: kit.secondOf(from) }),
      }),
    read: (value) => {
      const account = kit.parseObject(Account, value, "an account");
      const { accountId, accountDescription: name, openingDate, currency } = account;
      const asset = CURRENCIES.assetOf(currency);
      const item = {
        reference: accountId,
        createdAt: openingDate,
        ...kit.given({ name, defaultAsset: asset }),
        metadata: {},
        raw: kit.rawOf(value),
      };
      return { item, time: openingDate, identity: accountId };
    },
  });

const Balances = z.object({
  balances: z
    .array(
      z.object({
        currency: kit.Text,
        beginOfDayAmount: kit.DecimalText,
        intraDayAmount: kit.DecimalText,
      }),
    )
    .nullish(),
});

const pathOf = (account: string): string => `/api/v1/accounts/${encodeURIComponent(account)}`;

/** The balances of an account: the amount at the beginning of the day, and the movements since. */
export async function fetchBalances(
  { client, clock }: kit.ClientWith<BankingCircleClient, "clock">,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference } = kit.requireAccount(parent, "balances");
  const account = await client.find({ path: pathOf(reference) }, Balances, "an account");
  const items = (account?.balances ?? []).flatMap((balance) => {
    const [begun, moved] = [balance.beginOfDayAmount, balance.intraDayAmount].map((decimal) =>
      CURRENCIES.fromDecimal(decimal, balance.currency),
    );
    if (begun === undefined || moved === undefined) return [];
    const amount = begun.amount + moved.amount;
    return [{ accountReference: reference, createdAt: clock(), asset: begun.asset, amount }];
  });
  return kit.onlyPage(items);
}

/** The bank's identifier of an account, at this bank or at another one. */
const Identifier = z.object({
  account: kit.Text,
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
  const account = await client.find({ path: pathOf(reference) }, Identified, "an account");
  const [first] = account?.accountIdentifiers ?? [];
  if (first === undefined) throw kit.refused("the account has no identifier at the bank");
  return first;
}

/** The name under which the numbers of a bank account are stored, encrypted. Payouts need them. */
const nameOf = (id: string): string => `bank-account/${id}/`;

/** Stores the numbers that a payout to a bank account needs, because the provider has no accounts at other banks. */
export async function createBankAccount(
  store: kit.PluginStore,
  {
    id,
    createdAt,
    name,
    iban,
    accountNumber,
    swiftBicCode,
    country,
    metadata,
  }: kit.BankAccountDetails,
): Promise<kit.ProviderAccount> {
  const account = iban ?? accountNumber;
  if (account === undefined) throw kit.refused("an IBAN or an account number is required");
  const identifier = { account, financialInstitution: swiftBicCode, country };
  await store.insert({ name: nameOf(id), value: stringifyJson(identifier) });
  return { reference: id, createdAt, name, metadata, raw: "{}" };
}

/** The stored numbers of a bank account. Throws `ConnectorError` for an account that was not forwarded to this connector. */
export async function keptIdentifierOf(
  store: kit.PluginStore,
  { reference }: kit.StoredAccount,
): Promise<Identifier> {
  const kept = await store.find(nameOf(reference));
  if (kept !== undefined) return kit.parseObject(Identifier, parseJson(kept), "a bank account");
  throw kit.refused("the destination of a payout has to be a bank account that was forwarded here");
}
