import type { ActivityCall } from "./call.ts";
import { causeTimeOf } from "./cause-time.ts";
import { INSTANCE_KEY } from "./ledger.ts";
import type { ActivityInputs, TransferData } from "#modules/orchestration/core/activities.ts";
import { assertMay } from "#modules/orchestration/instances/context.ts";
import { checkTransfer, readPaymentV1, requestTransfer } from "#modules/payments/index.ts";

export async function getPayment(
  { context }: ActivityCall,
  { id }: ActivityInputs["GetPayment"],
): Promise<unknown> {
  assertMay(context.principal, { scope: "payments:read" });
  const { adjustments, ...payment } = await readPaymentV1(context, id);
  // The data that a provider has sent may be long, and no stage reads it.
  const bare = adjustments.map((adjustment) => ({ ...adjustment, raw: {} }));
  return { ...payment, raw: {}, adjustments: bare };
}

/** Checks a transfer and changes nothing. The key of the check stands in for the key of the transfer, which has the same form. */
export async function checkTransferInitiation(
  call: ActivityCall,
  input: ActivityInputs["CheckTransfer"],
): Promise<unknown> {
  assertMay(call.context.principal, { scope: "payments:write" });
  return { connectorID: await checkTransfer(call.context, transferOf(call, input)) };
}

export async function createTransferInitiation(
  call: ActivityCall,
  input: ActivityInputs["CreateTransferInitiation"],
): Promise<unknown> {
  assertMay(call.context.principal, { scope: "payments:write" });
  return { id: await requestTransfer(call.context, transferOf(call, input)) };
}

function transferOf(call: ActivityCall, input: TransferData) {
  const { context, key, instanceId, begunAt } = call;
  const { amount, asset, type, description } = input;
  return {
    amount,
    asset,
    type,
    description,
    reference: key,
    begunAt,
    ...((context.causationDepth ?? 0) > 0
      ? { causedAt: () => causeTimeOf(context, instanceId) }
      : {}),
    destinationAccountId: input.destination,
    metadata: { ...input.metadata, [INSTANCE_KEY]: instanceId },
    waitsForApproval: input.waitingValidation,
    ...(input.connectorID === undefined ? {} : { connectorId: input.connectorID }),
    ...(input.provider === undefined ? {} : { provider: input.provider }),
    ...(input.source === undefined ? {} : { sourceAccountId: input.source }),
  };
}
