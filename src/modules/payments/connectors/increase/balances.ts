import { z } from "zod";
import { CURRENCIES, type IncreaseClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { currencyOf } from "#modules/payments/core/assets.ts";

const Balance = z.object({ available_balance: kit.Amount });

/** The available balance of an account, in the currency of the account, because the answer contains no currency. */
export async function fetchBalances(
  { client, clock }: kit.ClientWith<IncreaseClient, "clock">,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference, defaultAsset = "" } = kit.requireAccount(parent, "balances");
  const path = `/accounts/${encodeURIComponent(reference)}/balance`;
  const balance = await client.find({ path }, Balance, "a balance");
  const amount =
    balance && CURRENCIES.fromUnits(balance.available_balance, currencyOf(defaultAsset));
  return kit.onlyBalance(reference, clock(), amount);
}
