import { z } from "zod";
import { type AtlarClient, prefixed } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { Currencies } from "#modules/payments/connectors/kit/currencies.ts";
import {
  Amount,
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTokenList } from "#modules/payments/connectors/kit/token-list.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";

/** Accounts may be in any currency. Amounts are in minor units. */
const CURRENCIES = new Currencies();

const Bank = z.object({ id: OptionalText, bic: OptionalText }).nullish();
const Identifiers = z
  .array(z.object({ market: Text, type: Text, number: Text }))
  .nullish()
  .transform((identifiers) => identifiers ?? []);

/** The numbers of an account, by the market that each is known in. */
const identifiersOf = (
  identifiers: z.output<typeof Identifiers>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    identifiers.map(({ market, type, number }) => [`identifier/${market}/${type}`, number]),
  );

const Account = z.object({
  id: Text,
  thirdPartyId: OptionalText,
  created: Date3339,
  name: OptionalText,
  alias: OptionalText,
  currency: Text,
  fictive: z.boolean().nullish(),
  owner: z.object({ name: OptionalText }).nullish(),
  bank: Bank,
  identifiers: Identifiers,
});

/** The accounts of the organization, at all of its banks. */
export const fetchAccounts = (
  client: AtlarClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchTokenList(request, {
    readPage: (place) => client.list("/v1/accounts", place),
    read: (value) => toAccount(client, value),
  });

async function toAccount(client: AtlarClient, value: unknown): Promise<ProviderAccount> {
  const account = parseObject(Account, value, "an account");
  const { id, created, name, alias, currency, fictive, owner, bank, thirdPartyId } = account;
  const asset = CURRENCIES.assetOf(currency);
  const metadata = prefixed({
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
    ...(name === undefined ? {} : { name }),
    ...(asset === undefined ? {} : { defaultAsset: asset }),
    metadata,
    raw: rawOf(value),
  };
}

const AccountBalance = z.object({
  balance: z
    .object({ amount: z.object({ currency: Text, value: Amount }), timestamp: Date3339 })
    .nullish(),
});

/** The last balance that the bank has told of an account. */
export async function fetchBalances(
  client: AtlarClient,
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference } = requireAccount(parent, "balances");
  const path = `/v1/accounts/${encodeURIComponent(reference)}`;
  const { balance } = (await client.find(path, AccountBalance, "an account")) ?? {};
  const amount = balance
    ? CURRENCIES.fromUnits(balance.amount.value, balance.amount.currency)
    : undefined;
  const items =
    balance && amount !== undefined
      ? [{ accountReference: reference, createdAt: balance.timestamp, ...amount }]
      : [];
  return onlyPage(items);
}

const ExternalAccount = z.object({
  id: Text,
  counterpartyId: OptionalText,
  created: Date3339,
  bank: Bank,
  identifiers: Identifiers,
});

const Counterparty = z.object({
  name: OptionalText,
  partyType: OptionalText,
  contactDetails: z.object({ email: OptionalText, phone: OptionalText }).nullish(),
});

/** The accounts of counterparties. */
export const fetchExternalAccounts = (
  client: AtlarClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchTokenList(request, {
    readPage: (place) => client.list("/v1/external-accounts", place),
    read: async (value) => {
      const { counterpartyId } = parseObject(ExternalAccount, value, "an external account");
      const path = `/v1/counterparties/${encodeURIComponent(counterpartyId ?? "")}`;
      const counterparty =
        counterpartyId === undefined
          ? undefined
          : await client.find(path, z.unknown(), "a counterparty");
      return toExternalAccount(value, counterparty ?? {});
    },
  });

/** An account of a counterparty, named as that is. */
export function toExternalAccount(value: unknown, counterparty: unknown): ProviderAccount {
  const account = parseObject(ExternalAccount, value, "an external account");
  const owner = parseObject(Counterparty, counterparty, "a counterparty");
  const metadata = prefixed({
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
    ...(owner.name === undefined ? {} : { name: owner.name }),
    metadata,
    raw: rawOf(value),
  };
}
