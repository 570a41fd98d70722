import { z } from "zod";
import { CURRENCIES, type PlaidClient } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest, LinkedUser } from "#modules/payments/connectors/contract.ts";
import {
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage, onlyPageOf, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type {
  ProviderAccount,
  ProviderBalance,
} from "#modules/payments/connectors/provider-objects.ts";
import { given } from "#modules/payments/core/given.ts";
import { parseJson } from "#platform/json.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

/** The token of a connection, which all of its data are asked for with. */
export function tokenOf({ accessToken }: LinkedUser): string {
  if (accessToken !== undefined) return accessToken;
  throw new ConnectorError("invalid", "the connection has no access token");
}

/** What there is where nothing is asked for a connection: the provider has data of connections only. */
export const NOTHING = onlyPage<never>([]);

const Accounts = z.object({ accounts: z.array(z.unknown()) });

const Account = z.object({
  account_id: Text,
  name: OptionalText,
  balances: z.object({ iso_currency_code: OptionalText }),
});

/** The accounts of a connection: one answer has all of them. */
export async function fetchAccounts(
  { client, clock }: { readonly client: PlaidClient; readonly clock: Clock },
  { connection }: FetchRequest,
): Promise<FetchPage<ProviderAccount>> {
  if (connection === undefined) return NOTHING;
  const json = { access_token: tokenOf(connection) };
  const call = { path: "/accounts/get", json, isRead: true };
  const { accounts } = await client.call(call, Accounts);
  const now = clock();
  return onlyPageOf(accounts, (value) => toAccount(value, now));
}

function toAccount(value: unknown, now: Timestamp): ProviderAccount {
  const { account_id, name, balances } = parseObject(Account, value, "an account");
  const defaultAsset = CURRENCIES.assetOf(balances.iso_currency_code ?? "");
  return {
    reference: account_id,
    createdAt: now,
    ...given({ name, defaultAsset }),
    metadata: {},
    raw: rawOf(value),
  };
}

const Balances = z.object({
  balances: z.object({ current: DecimalText.nullish(), iso_currency_code: OptionalText }).nullish(),
});

/** The balance that came with the account. */
export function fetchBalances({ parent }: FetchRequest, clock: Clock): FetchPage<ProviderBalance> {
  const account = requireAccount(parent, "balances");
  const { balances } = parseObject(Balances, parseJson(account.raw), "an account");
  const { current, iso_currency_code: currency } = balances ?? {};
  const amount =
    current === undefined || current === null
      ? undefined
      : CURRENCIES.fromDecimal(current, currency ?? "");
  if (amount === undefined) return NOTHING;
  const { reference: accountReference, psuId, connectionId } = account;
  const owner = given({ psuId, connectionId });
  return { ...NOTHING, items: [{ accountReference, createdAt: clock(), ...owner, ...amount }] };
}
