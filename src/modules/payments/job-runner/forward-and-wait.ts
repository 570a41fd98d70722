import { runJobWithin } from "./run.ts";
import type { BankAccountWithNumbers } from "#modules/payments/bank-accounts/bank-account.ts";
import { forwardBankAccount } from "#modules/payments/bank-accounts/forward.ts";
import { getBankAccount } from "#modules/payments/bank-accounts/get.ts";
import { type ConnectorId, encodeOwnedId } from "#modules/payments/core/ids.ts";
import { getTask } from "#modules/payments/tasks/store.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";

/** Longest wait of a request for a provider, in milliseconds. */
const WAIT_MS_MAX = 25_000;

/**
 * Forwards a bank account, and waits until the connector has stored it. Throws `NOT_FOUND`, `VALIDATION` if the provider
 * refuses the account, and `OVERLOADED` if it takes longer than `WAIT_MS_MAX`; the task then continues.
 */
export async function forwardAndWait(
  context: ServiceContext,
  forward: { readonly bankAccountId: string; readonly connectorId: ConnectorId },
): Promise<BankAccountWithNumbers> {
  const { id } = await forwardBankAccount(context, forward);
  await runJobWithin(context.env, id.reference, WAIT_MS_MAX);
  const { status, error } = await getTask(context, id);
  if (status === "FAILED") throw new AppError("VALIDATION", error ?? "the connector has failed");
  if (status === "PROCESSING") {
    throw new AppError(
      "OVERLOADED",
      `the connector has not created the account yet: task ${encodeOwnedId(id)}`,
    );
  }
  return getBankAccount(context, forward.bankAccountId);
}
