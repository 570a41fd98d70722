import { z } from "zod";
import { type AtlarClient, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The currencies of accounts: all of ISO 4217. Amounts are in minor units. */
const CURRENCIES = new kit.Currencies();

const Bank = z.object({ id: kit.OptionalText, bic: kit.OptionalText }).nullish();
const Identifiers = z
  .array(z.object({ market: kit.Text, type: kit.Text, number: kit.Text }))
  .nullish()
  .transform((identifiers) => identifiers ?? []);

/** The numbers of an account as metadata, by market and type. */
const identifiersOf = (
  identifiers: z.output<typeof Identifiers>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    identifiers.map(({ market, type, number }) => [`identifier/${market}/${type}`, number]),
  );

const Account = z.object({
  id: kit.Text,
  thirdPartyId: kit.OptionalText,
  created: kit.Date3339,
  name: kit.OptionalText,
  alias: kit.OptionalText,
  currency: kit.Text,
  fictive: z.boolean().nullish(),
  owner: z.object({ name: kit.OptionalText }).nullish(),
  bank: Bank,
  identifiers: Identifiers,
});

/** The accounts of the organization, at all of its banks. */
export const fetchAccounts = (
  client: AtlarClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchTokenList(request, {
    readPage: (place) => client.list("/v1/accounts", place),
    read: (value) => toAccount(client, value),
  });

async function toAccount(client: AtlarClient, value: unknown): Promise<kit.ProviderAccount> {
  const account = kit.parseObject(Account, value, "an account");
  const { id, created, name, alias, currency, fictive, owner, bank, thirdPartyId } = account;
  const asset = CURRENCIES.assetOf(currency);
  const metadata = SPEC.write({
    fictive: fictive === null || fictive === undefined ? undefined : String(fictive),
    "bank/id": bank?.id,
    "bank/name": thirdPartyId === undefined ? undefined : await client.bankName(thirdPartyId),
    "bank/bic": bank?.bic,
    alias,
    "owner/name": owner?.name,
    ...identifiersOf(account.identifiers),
  });
  return {
    reference: id,
    createdAt: created,
    ...kit.given({ name, defaultAsset: asset }),
    metadata,
    raw: kit.rawOf(value),
  };
}

const AccountBalance = z.object({
  balance: z
    .object({
      amount: z.object({ currency: kit.Text, value: kit.Amount }),
      timestamp: kit.Date3339,
    })
    .nullish(),
});

/** The last balance of an account that the bank has reported. */
export async function fetchBalances(
  client: AtlarClient,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference } = kit.requireAccount(parent, "balances");
  const path = `/v1/accounts/${encodeURIComponent(reference)}`;
  const { balance } = (await client.find({ path }, AccountBalance, "an account")) ?? {};
  const amount = balance
    ? CURRENCIES.fromUnits(balance.amount.value, balance.amount.currency)
    : undefined;
  return balance ? kit.onlyBalance(reference, balance.timestamp, amount) : kit.EMPTY_PAGE;
}

const ExternalAccount = z.object({
  id: kit.Text,
  counterpartyId: kit.OptionalText,
  created: kit.Date3339,
  bank: Bank,
  identifiers: Identifiers,
});

const Counterparty = z.object({
  name: kit.OptionalText,
  partyType: kit.OptionalText,
  contactDetails: z.object({ email: kit.OptionalText, phone: kit.OptionalText }).nullish(),
});

/** The accounts of counterparties. */
export const fetchExternalAccounts = (
  client: AtlarClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchTokenList(request, {
    readPage: (place) => client.list("/v1/external-accounts", place),
    read: async (value) => {
      const { counterpartyId } = kit.parseObject(ExternalAccount, value, "an external account");
      const path = `/v1/counterparties/${encodeURIComponent(counterpartyId ?? "")}`;
      const counterparty =
        counterpartyId === undefined
          ? undefined
          : await client.find({ path }, z.unknown(), "a counterparty");
      return toExternalAccount(value, counterparty ?? {});
    },
  });

/** An account of a counterparty. It has the name of the counterparty. */
export function toExternalAccount(value: unknown, counterparty: unknown): kit.ProviderAccount {
  const account = kit.parseObject(ExternalAccount, value, "an external account");
  const owner = kit.parseObject(Counterparty, counterparty, "a counterparty");
  const metadata = SPEC.write({
    "bank/id": account.bank?.id,
    "bank/bic": account.bank?.bic,
    "owner/name": owner.name,
    "owner/type": owner.partyType,
    "owner/contact/email": owner.contactDetails?.email,
    "owner/contact/phone": owner.contactDetails?.phone,
    ...identifiersOf(account.identifiers),
  });
  return {
    reference: account.id,
    createdAt: account.created,
    ...kit.given({ name: owner.name }),
    metadata,
    raw: kit.rawOf(value),
  };
}
