import { z } from "zod";
import { CURRENCIES, type IncreaseClient, noteCurrency, PREFIX } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type {
  BankAccountDetails,
  FetchPage,
  FetchRequest,
} from "#modules/payments/connectors/contract.ts";
import { fetchNewestList } from "#modules/payments/connectors/kit/newest-list.ts";
import {
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type { ProviderAccount } from "#modules/payments/connectors/provider-objects.ts";

const Account = z.object({
  id: Text,
  created_at: Date3339,
  currency: Text,
  name: OptionalText,
  bank: OptionalText,
  entity_id: OptionalText,
  status: OptionalText,
});

/** The accounts of the key. */
export const fetchAccounts = (
  client: IncreaseClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchNewestList(request, {
    readPage: (place) => client.list("/accounts", place),
    read: (value) => {
      const account = parseObject(Account, value, "an account");
      return { id: account.id, time: account.created_at, item: toAccount(account, value) };
    },
  });

function toAccount(account: z.output<typeof Account>, value: unknown): ProviderAccount | undefined {
  const { id, created_at, currency, name, bank, entity_id: entityID, status } = account;
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return leftOut(id, currency);
  return {
    reference: id,
    createdAt: created_at,
    ...(name === undefined ? {} : { name }),
    defaultAsset: asset,
    metadata: prefixed({ bank, entityID, status }),
    raw: rawOf(value),
  };
}

function leftOut(id: string, currency: string): undefined {
  noteCurrency("account", id, currency);
}

/** Those that are there, under the names that this connector gives. */
const prefixed = (
  values: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [[`${PREFIX}${name}`, value]],
    ),
  );

const ExternalAccount = z.object({
  id: Text,
  created_at: Date3339,
  description: OptionalText,
  account_holder: OptionalText,
  routing_number: OptionalText,
  funding: OptionalText,
  status: OptionalText,
});

/** The accounts at other banks. */
export const fetchExternalAccounts = (
  client: IncreaseClient,
  request: FetchRequest,
): Promise<FetchPage<ProviderAccount>> =>
  fetchNewestList(request, {
    readPage: (place) => client.list("/external_accounts", place),
    read: (value) => {
      const item = toExternalAccount(value);
      return { id: item.reference, time: item.createdAt, item };
    },
  });

function toExternalAccount(value: unknown): ProviderAccount {
  const account = parseObject(ExternalAccount, value, "an external account");
  const { id, created_at, description, account_holder, routing_number, funding, status } = account;
  return {
    reference: id,
    createdAt: created_at,
    ...(description === undefined ? {} : { name: description }),
    metadata: prefixed({
      accountHolder: account_holder,
      routingNumber: routing_number,
      funding,
      status,
    }),
    raw: rawOf(value),
  };
}

/** Makes an external account of a bank account of Florin, whose id is the idempotency key. */
export async function createBankAccount(
  client: IncreaseClient,
  { id, accountNumber, metadata }: BankAccountDetails,
): Promise<ProviderAccount> {
  if (accountNumber === undefined) throw refused("account number is required");
  const required = (name: string): string => {
    const value = metadata[`${PREFIX}${name}`];
    if (value !== undefined && value !== "") return value;
    throw refused(`${PREFIX}${name} is required in the metadata of the bank account`);
  };
  const json = {
    account_number: accountNumber,
    routing_number: required("routingNumber"),
    account_holder: required("accountHolder"),
    description: required("description"),
  };
  return toExternalAccount(await client.create("/external_accounts", json, id));
}

const refused = (why: string): ConnectorError => new ConnectorError("invalid", why);
