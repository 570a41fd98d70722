import { z } from "zod";
import type { StripeClient } from "./client.ts";
import { CURRENCIES } from "./objects.ts";
import type { FetchPage, FetchRequest } from "#modules/payments/connectors/contract.ts";
import { Amount, parseObject, Text } from "#modules/payments/connectors/kit/objects.ts";
import { onlyPage, requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import type { ProviderBalance } from "#modules/payments/connectors/provider-objects.ts";
import { log } from "#platform/log.ts";
import type { Clock, Timestamp } from "#platform/time.ts";

const Balance = z.object({ available: z.array(z.object({ amount: Amount, currency: Text })) });

/** What an account has available, in each currency. */
export async function fetchBalances(
  { client, clock }: { readonly client: StripeClient; readonly clock: Clock },
  { parent }: FetchRequest,
): Promise<FetchPage<ProviderBalance>> {
  const { reference: account } = requireAccount(parent, "balances");
  const value = await client.readBalance(account);
  return onlyPage(toBalances(value, { account, at: clock() }));
}

/** The balances that the provider tells of an account, when it was asked or by a webhook. */
export function toBalances(
  value: unknown,
  { account, at }: { readonly account: string; readonly at: Timestamp },
): ProviderBalance[] {
  const { available } = parseObject(Balance, value, "a balance");
  return available.flatMap(({ amount: units, currency }) => {
    const amount = CURRENCIES.fromUnits(units, currency);
    if (amount === undefined) {
      log("warn", "a balance is skipped, since its currency is not known", { account, currency });
      return [];
    }
    return [{ accountReference: account, createdAt: at, ...amount }];
  });
}
