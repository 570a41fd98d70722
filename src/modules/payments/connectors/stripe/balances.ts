import { z } from "zod";
import type { StripeClient } from "./client.ts";
import { CURRENCIES } from "./objects.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { log } from "#platform/log.ts";
import type { Timestamp } from "#platform/time.ts";

const Balance = z.object({
  available: z.array(z.object({ amount: kit.Amount, currency: kit.Text })),
});

/** The available balances of an account, one for each currency. */
export async function fetchBalances(
  { client, clock }: kit.ClientWith<StripeClient, "clock">,
  { parent }: kit.FetchRequest,
): Promise<kit.BalancesPage> {
  const { reference: account } = kit.requireAccount(parent, "balances");
  const value = await client.readBalance(account);
  return kit.onlyPage(toBalances(value, { account, at: clock() }));
}

/** The balances of an account, from an answer or from a webhook. */
export function toBalances(
  value: unknown,
  { account, at }: { readonly account: string; readonly at: Timestamp },
): kit.ProviderBalance[] {
  const { available } = kit.parseObject(Balance, value, "a balance");
  return available.flatMap(({ amount: units, currency }) => {
    const amount = CURRENCIES.fromUnits(units, currency);
    if (amount === undefined) {
      log("warn", "a balance is skipped, since its currency is not known", { account, currency });
      return [];
    }
    return [{ accountReference: account, createdAt: at, ...amount }];
  });
}
