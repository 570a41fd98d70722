import { z } from "zod";
import { CURRENCIES, type PlaidClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { parseJson } from "#platform/json.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

/** The token of a connection, which all requests for its data need. */
export function tokenOf({ accessToken }: kit.LinkedUser): string {
  if (accessToken !== undefined) return accessToken;
  throw kit.refused("the connection has no access token");
}

const Accounts = z.object({ accounts: z.array(z.unknown()) });

const Account = z.object({
  account_id: kit.Text,
  name: kit.OptionalText,
  balances: z.object({ iso_currency_code: kit.OptionalText }),
});

/** The accounts of a connection: one answer has all of them. */
export async function fetchAccounts(
  { client, clock }: kit.ClientWith<PlaidClient, "clock">,
  { connection }: kit.FetchRequest,
): Promise<kit.AccountsPage> {
  if (connection === undefined) return kit.EMPTY_PAGE;
  const json = { access_token: tokenOf(connection) };
  const call = { path: "/accounts/get", json, isRead: true };
  const { accounts } = await client.call(call, Accounts);
  const now = clock();
  return kit.onlyPageOf(accounts, (value) => toAccount(value, now));
}

function toAccount(value: unknown, now: Timestamp): kit.ProviderAccount {
  const { account_id, name, balances } = kit.parseObject(Account, value, "an account");
  const defaultAsset = CURRENCIES.assetOf(balances.iso_currency_code);
  return {
    reference: account_id,
    createdAt: now,
    ...kit.given({ name, defaultAsset }),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

const Balances = z.object({
  balances: z
    .object({ current: kit.DecimalText.nullish(), iso_currency_code: kit.OptionalText })
    .nullish(),
});

/** The balance of an account, which the object of the account contains. */
export function fetchBalances({ parent }: kit.FetchRequest, clock: Clock): kit.BalancesPage {
  const account = kit.requireAccount(parent, "balances");
  const { balances } = kit.parseObject(Balances, parseJson(account.raw), "an account");
  const { current, iso_currency_code: currency } = balances ?? {};
  const amount =
    current === undefined || current === null
      ? undefined
      : CURRENCIES.fromDecimal(current, currency ?? "");
  if (amount === undefined) return kit.EMPTY_PAGE;
  const { reference: accountReference, psuId, connectionId } = account;
  const owner = kit.given({ psuId, connectionId });
  return {
    ...kit.EMPTY_PAGE,
    items: [{ accountReference, createdAt: clock(), ...owner, ...amount }],
  };
}
