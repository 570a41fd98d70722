import type { ActivityCall } from "./call.ts";
import { addAccountMetadata, createTransaction, getAccount } from "./ledger.ts";
import { checkTransferInitiation, createTransferInitiation, getPayment } from "./payments.ts";
import { creditWallet, debitWallet, getWallet, listWallets } from "./wallets.ts";
import type { ActivityOutcome, ActivityRequest } from "#modules/orchestration/core/activities.ts";
import { contextOf, PermissionError } from "#modules/orchestration/instances/context.ts";
import type { FlowInstance } from "#modules/orchestration/instances/instance.ts";
import { isHeld } from "#platform/arming/arming-watch.ts";
import type { ServiceContext } from "#platform/context.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";

/** Longest time of an attempt, in milliseconds. */
const ATTEMPT_MS_MAX = 60_000;
/** Longest error message that is stored, in characters. */
const MESSAGE_LENGTH_MAX = 2000;

/**
 * Executes an activity. Executions with the same key have one effect together. Undefined for an activity that was not begun, because the
 * deployment is disarmed. Never throws: a failure is an outcome.
 */
export async function executeActivity(
  context: Pick<ServiceContext, "env" | "clock">,
  instance: Pick<FlowInstance, "id" | "principal" | "causationDepth" | "createdAt">,
  { request, key }: { readonly request: ActivityRequest; readonly key: string },
): Promise<ActivityOutcome | undefined> {
  const { id: instanceId, createdAt: begunAt } = instance;
  const call = { context: contextOf(context, instance), instanceId, begunAt, key };
  try {
    return { ok: true, output: await withTimeout(execute(call, request)) };
  } catch (error) {
    if (isHeld(error)) return undefined;
    const { kind, message } = toFailure(error, instance.id, request.name);
    return { ok: false, kind, message: message.slice(0, MESSAGE_LENGTH_MAX) };
  }
}

function execute(call: ActivityCall, request: ActivityRequest): Promise<unknown> {
  switch (request.name) {
    case "GetAccount":
      return getAccount(call, request.input);
    case "AddAccountMetadata":
      return addAccountMetadata(call, request.input);
    case "CreateTransaction":
      return createTransaction(call, request.input);
    case "GetPayment":
      return getPayment(call, request.input);
    case "CheckTransfer":
      return checkTransferInitiation(call, request.input);
    case "CreateTransferInitiation":
      return createTransferInitiation(call, request.input);
    case "GetWallet":
      return getWallet(call, request.input);
    case "ListWallets":
      return listWallets(call, request.input);
    case "CreditWallet":
      return creditWallet(call, request.input);
    case "DebitWallet":
      return debitWallet(call, request.input);
  }
}

/** Rejects after `ATTEMPT_MS_MAX`. The attempt then counts as failed, and the next one has the same key. */
async function withTimeout<T>(work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new AppError("OVERLOADED", "timeout")), ATTEMPT_MS_MAX);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

function toFailure(error: unknown, instance: string, activity: string) {
  if (error instanceof AppError) return { kind: error.kind, message: error.message };
  if (error instanceof PermissionError) return { kind: "FORBIDDEN", message: error.message };
  logError("an activity has failed; it is tried again", error, { instance, activity });
  return { kind: "INTERNAL", message: "an unexpected error, which is in the log" };
}
