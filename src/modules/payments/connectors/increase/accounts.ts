import { z } from "zod";
import { CURRENCIES, type IncreaseClient, skipCurrency, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

const Account = z.object({
  id: kit.Text,
  created_at: kit.Date3339,
  currency: kit.Text,
  name: kit.OptionalText,
  bank: kit.OptionalText,
  entity_id: kit.OptionalText,
  status: kit.OptionalText,
});

/** New accounts that the API key can access, open or closed. Accounts in a currency without an asset are left out. */
export const fetchAccounts = (
  client: IncreaseClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchNewestList(request, {
    readPage: (place) => client.list("/accounts", place),
    read: (value) => {
      const account = kit.parseObject(Account, value, "an account");
      return { id: account.id, time: account.created_at, item: toAccount(account, value) };
    },
  });

function toAccount(
  account: z.output<typeof Account>,
  value: unknown,
): kit.ProviderAccount | undefined {
  const { id, created_at, currency, name, bank, entity_id: entityID, status } = account;
  const asset = CURRENCIES.assetOf(currency);
  if (asset === undefined) return skipCurrency("account", id, currency);
  return {
    reference: id,
    createdAt: created_at,
    ...kit.given({ name }),
    defaultAsset: asset,
    metadata: SPEC.write({ bank, entityID, status }),
    raw: kit.rawOf(value),
  };
}

const ExternalAccount = z.object({
  id: kit.Text,
  created_at: kit.Date3339,
  description: kit.OptionalText,
  account_holder: kit.OptionalText,
  routing_number: kit.OptionalText,
  funding: kit.OptionalText,
  status: kit.OptionalText,
});

/** New accounts at other banks, of any status. */
export const fetchExternalAccounts = (
  client: IncreaseClient,
  request: kit.FetchRequest,
): Promise<kit.AccountsPage> =>
  kit.fetchNewestList(request, {
    readPage: (place) => client.list("/external_accounts", place),
    read: (value) => {
      const item = toExternalAccount(value);
      return { id: item.reference, time: item.createdAt, item };
    },
  });

function toExternalAccount(value: unknown): kit.ProviderAccount {
  const account = kit.parseObject(ExternalAccount, value, "an external account");
  const { id, created_at, description, account_holder, routing_number, funding, status } = account;
  return {
    reference: id,
    createdAt: created_at,
    ...kit.given({ name: description }),
    metadata: SPEC.write({
      accountHolder: account_holder,
      routingNumber: routing_number,
      funding,
      status,
    }),
    raw: kit.rawOf(value),
  };
}

/**
 * Creates an external account of a bank account. The id of the bank account is the idempotency key. Throws a `ConnectorError` that refuses an
 * account without account number, or without a metadata of `SPEC` that the provider requires.
 */
export async function createBankAccount(
  client: IncreaseClient,
  account: kit.BankAccountDetails,
): Promise<kit.ProviderAccount> {
  const { id, accountNumber } = account;
  if (accountNumber === undefined) throw kit.refused("account number is required");
  const json = {
    account_number: accountNumber,
    routing_number: SPEC.require(account, "routingNumber"),
    account_holder: SPEC.require(account, "accountHolder"),
    description: SPEC.require(account, "description"),
  };
  return toExternalAccount(await client.create("/external_accounts", json, id));
}
