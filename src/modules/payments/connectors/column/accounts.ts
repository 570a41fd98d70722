import { z } from "zod";
import { type ColumnClient, CURRENCIES, PREFIX } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  BankAccountDetails,
  FetchPage,
  FetchRequest,
} from "#modules/payments/connectors/contract.ts";
import {
  Amount,
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyBalance, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import { readOwnerMetadata } from "#modules/payments/core/owners/owner-metadata.ts";
import type { Clock } from "#platform/time.ts";

const BankAccount = z.object({
  id: Text,
  created_at: Date3339,
  currency_code: Text,
  display_name: OptionalText,
  description: OptionalText,
  type: OptionalText,
  bic: OptionalText,
  routing_number: OptionalText,
  default_account_number_id: OptionalText,
  overdraft_reserve_account_id: OptionalText,
});

/** The bank accounts of the platform. */
export const fetchAccounts = (
  client: ColumnClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> => client.fetchList("/bank-accounts", request, toAccount);

function toAccount(value: unknown): ProviderAccount {
  const account = parseObject(BankAccount, value, "a bank account");
  const { id, created_at, currency_code, display_name, description, ...others } = account;
  const name = display_name ?? description;
  const asset = CURRENCIES.assetOf(currency_code);
  return {
    reference: id,
    createdAt: created_at,
    ...(name === undefined ? {} : { name }),
    ...(asset === undefined ? {} : { defaultAsset: asset }),
    metadata: prefixed(others),
    raw: rawOf(value),
  };
}

const Counterparty = z.object({
  id: Text,
  created_at: Date3339,
  name: OptionalText,
  description: OptionalText,
  account_type: OptionalText,
  routing_number: OptionalText,
  routing_number_type: OptionalText,
  local_bank_code: OptionalText,
  local_bank_name: OptionalText,
});

/** Accounts at other banks. */
export const fetchExternalAccounts = (
  client: ColumnClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  client.fetchList("/counterparties", request, toExternalAccount);

function toExternalAccount(value: unknown): ProviderAccount {
  const counterparty = parseObject(Counterparty, value, "a counterparty");
  const { id, created_at, name = counterparty.description, ...others } = counterparty;
  const { description: _description, ...shown } = others;
  return {
    reference: id,
    createdAt: created_at,
    ...(name === undefined ? {} : { name }),
    metadata: prefixed(shown),
    raw: rawOf(value),
  };
}

/** Those that are there, under the names of this connector. */
const prefixed = (values: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[`${PREFIX}${name}`, value]],
    ),
  );

const Balances = z.object({
  currency_code: Text,
  balances: z.object({ available_amount: Amount }),
});

/** What is available on a bank account now. */
export async function fetchBalances(
  { client, clock }: { readonly client: ColumnClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference } = requireAccount(parent, "balances");
  const path = `/bank-accounts/${encodeURIComponent(reference)}`;
  const account = await client.find(path, Balances, "a bank account");
  const amount =
    account && CURRENCIES.fromUnits(account.balances.available_amount, account.currency_code);
  return onlyBalance(reference, clock(), amount);
}

/** What a counterparty may have besides its numbers, from the metadata of the bank account. */
const OPTIONS = [
  "routing_number_type",
  "account_type",
  "description",
  "legal_id",
  "legal_type",
  "local_account_number",
  "local_bank_code",
  "local_bank_country_code",
  "local_bank_name",
] as const;

/** Makes a counterparty of a bank account of Florin, whose id is the idempotency key. */
export async function createBankAccount(
  client: ColumnClient,
  { id, name, accountNumber, iban, country, metadata }: BankAccountDetails,
): Promise<ProviderAccount> {
  const optional = (option: string): string | undefined =>
    metadata[`${PREFIX}${option}`] === "" ? undefined : metadata[`${PREFIX}${option}`];
  const routingNumber = optional("routing_number");
  if (routingNumber === undefined) {
    throw refused(`${PREFIX}routing_number is required in the metadata of the bank account`);
  }
  const number = accountNumber ?? iban;
  if (number === undefined) throw refused("account number is required");
  const owner = readOwnerMetadata(metadata);
  const json = {
    name,
    account_number: number,
    routing_number: routingNumber,
    ...Object.fromEntries(OPTIONS.map((option) => [option, optional(option)])),
    email: owner.email,
    phone: owner.phoneNumber,
    address: addressOf(owner, country),
  };
  return toExternalAccount(await client.create("/counterparties", json, id));
}

/** An address that has a line needs a city and a country. */
function addressOf(
  { addressLine1, addressLine2, city, region, postalCode }: ReturnType<typeof readOwnerMetadata>,
  country: string | undefined,
): object | undefined {
  if (addressLine1 === undefined) return undefined;
  if (city === undefined) throw refused("an address with a first line needs a city");
  if (country === undefined) throw refused("an address with a first line needs a country");
  return {
    line_1: addressLine1,
    line_2: addressLine2,
    city,
    state: region,
    postal_code: postalCode,
    country_code: country,
  };
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);
