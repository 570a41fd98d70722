import { z } from "zod";
import { CURRENCIES, type IncreaseClient } from "./client.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { Amount } from "#modules/payments/connectors/kit/objects.ts";
import { onlyBalance, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import type { ProviderBalance } from "#modules/payments/connectors/provider-objects.ts";
import { currencyOf } from "#modules/payments/core/assets.ts";
import type { Clock } from "#platform/time.ts";

const Balance = z.object({ available_balance: Amount });

/** What is available on one account now. The answer names no currency: it is that of the account. */
export async function fetchBalances(
  { client, clock }: { readonly client: IncreaseClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference, defaultAsset = "" } = requireAccount(parent, "balances");
  const path = `/accounts/${encodeURIComponent(reference)}/balance`;
  const balance = await client.find(path, Balance, "a balance");
  const amount =
    balance && CURRENCIES.fromUnits(balance.available_balance, currencyOf(defaultAsset));
  return onlyBalance(reference, clock(), amount);
}
