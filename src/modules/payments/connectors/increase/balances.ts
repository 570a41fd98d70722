import { z } from "zod";
import { CURRENCIES, type IncreaseClient } from "./client.ts";
import { ConnectorError } from "#modules/payments/connectors/connector-error.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { Amount } from "#modules/payments/connectors/kit/objects.ts";
import type { ProviderBalance } from "#modules/payments/connectors/provider-objects.ts";
import { currencyOf } from "#modules/payments/core/assets.ts";
import type { Clock } from "#platform/time.ts";

const Balance = z.object({ available_balance: Amount });

/** What is available on one account now. The answer names no currency: it is that of the account. */
export async function fetchBalances(
  { client, clock }: { readonly client: IncreaseClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  if (parent === undefined) throw new ConnectorError("invalid", "balances belong to an account");
  const { reference, defaultAsset = "" } = parent;
  const path = `/accounts/${encodeURIComponent(reference)}/balance`;
  const balance = await client.find(path, Balance, "a balance");
  const amount =
    balance && CURRENCIES.fromUnits(balance.available_balance, currencyOf(defaultAsset));
  const items =
    amount === undefined ? [] : [{ accountReference: reference, createdAt: clock(), ...amount }];
  return { items, state: undefined, hasMore: false };
}
