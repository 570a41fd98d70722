import type { BankAccountWithNumbers } from "./bank-account.ts";
import { getBankAccountInClear } from "./store.ts";
import { maskNumbers } from "#modules/payments/core/owners/bank-numbers.ts";
import type { ServiceContext } from "#platform/context.ts";

/** A bank account with masked numbers. Throws `NOT_FOUND`. */
export async function getBankAccount(
  { env }: Pick<ServiceContext, "env">,
  id: string,
): Promise<BankAccountWithNumbers> {
  const account = await getBankAccountInClear(env, id);
  return { ...account, numbers: maskNumbers(account.numbers) };
}
