import { z } from "zod";
import { type ColumnClient, CURRENCIES, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { readOwnerMetadata } from "#modules/payments/core/owners/owner-metadata.ts";

const BankAccount = z.object({
  id: kit.Text,
  created_at: kit.Date3339,
  currency_code: kit.Text,
  display_name: kit.OptionalText,
  description: kit.OptionalText,
  type: kit.OptionalText,
  bic: kit.OptionalText,
  routing_number: kit.OptionalText,
  default_account_number_id: kit.OptionalText,
  overdraft_reserve_account_id: kit.OptionalText,
});

/** The bank accounts of the platform. */
export const fetchAccounts = (
  client: ColumnClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> => client.fetchList("/bank-accounts", request, toAccount);

function toAccount(value: unknown): kit.ProviderAccount {
  const account = kit.parseObject(BankAccount, value, "a bank account");
  const { id, created_at, currency_code, display_name, description, ...others } = account;
  const name = display_name ?? description;
  const asset = CURRENCIES.assetOf(currency_code);
  return {
    reference: id,
    createdAt: created_at,
    ...kit.given({ name, defaultAsset: asset }),
    metadata: SPEC.write(others),
    raw: kit.rawOf(value),
  };
}

const Counterparty = z.object({
  id: kit.Text,
  created_at: kit.Date3339,
  name: kit.OptionalText,
  description: kit.OptionalText,
  account_type: kit.OptionalText,
  routing_number: kit.OptionalText,
  routing_number_type: kit.OptionalText,
  local_bank_code: kit.OptionalText,
  local_bank_name: kit.OptionalText,
});

/** Accounts at other banks. */
export const fetchExternalAccounts = (
  client: ColumnClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> => client.fetchList("/counterparties", request, toExternalAccount);

function toExternalAccount(value: unknown): kit.ProviderAccount {
  const counterparty = kit.parseObject(Counterparty, value, "a counterparty");
  const { id, created_at, name = counterparty.description, ...others } = counterparty;
  const { description: _description, ...shown } = others;
  return {
    reference: id,
    createdAt: created_at,
    ...kit.given({ name }),
    metadata: SPEC.write(shown),
    raw: kit.rawOf(value),
  };
}

const Balances = z.object({
  currency_code: kit.Text,
  balances: z.object({ available_amount: kit.Amount }),
});

/** The available balance of a bank account. */
export async function fetchBalances(
  { client, clock }: kit.ClientWith<ColumnClient, "clock">,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference } = kit.requireAccount(parent, "balances");
  const path = `/bank-accounts/${encodeURIComponent(reference)}`;
  const account = await client.find({ path }, Balances, "a bank account");
  const amount =
    account && CURRENCIES.fromUnits(account.balances.available_amount, account.currency_code);
  return kit.onlyBalance(reference, clock(), amount);
}

/** The optional fields of a counterparty, which the metadata of the bank account may have. */
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

/** Creates a counterparty of a bank account. The id of the bank account is the idempotency key. */
export async function createBankAccount(
  client: ColumnClient,
  account: kit.BankAccountDetails,
): Promise<kit.ProviderAccount> {
  const { id, name, accountNumber, iban, country, metadata } = account;
  const routingNumber = SPEC.require(account, "routing_number");
  const number = accountNumber ?? iban;
  if (number === undefined) throw kit.refused("account number is required");
  const owner = readOwnerMetadata(metadata);
  const json = {
    name,
    account_number: number,
    routing_number: routingNumber,
    ...Object.fromEntries(OPTIONS.map((option) => [option, SPEC.find(account, option)])),
    email: owner.email,
    phone: owner.phoneNumber,
    address: addressOf(owner, country),
  };
  return toExternalAccount(await client.create("/counterparties", json, id));
}

/** The address of a counterparty. An address with a first line needs a city and a country. */
function addressOf(
  { addressLine1, addressLine2, city, region, postalCode }: ReturnType<typeof readOwnerMetadata>,
  country: string | undefined,
): object | undefined {
  if (addressLine1 === undefined) return undefined;
  if (city === undefined) throw kit.refused("an address with a first line needs a city");
  if (country === undefined) throw kit.refused("an address with a first line needs a country");
  return {
    line_1: addressLine1,
    line_2: addressLine2,
    city,
    state: region,
    postal_code: postalCode,
    country_code: country,
  };
}
