import type { ActivityCall } from "./call.ts";
import type { ActivityInputs } from "#modules/orchestration/core/activities.ts";
import { assertMay } from "#modules/orchestration/instances/context.ts";
import { readPaymentV1, requestTransfer } from "#modules/payments/index.ts";

export async function getPayment(
  { context }: ActivityCall,
  { id }: ActivityInputs["GetPayment"],
): Promise<unknown> {
  assertMay(context.principal, { scope: "payments:read" });
  const { adjustments, ...payment } = await readPaymentV1(context, id);
  // What a provider has sent may be long, and is no matter of the instance.
  const bare = adjustments.map((adjustment) => ({ ...adjustment, raw: {} }));
  return { ...payment, raw: {}, adjustments: bare };
}

export async function createTransferInitiation(
  { context, key, instanceId }: ActivityCall,
  input: ActivityInputs["CreateTransferInitiation"],
): Promise<unknown> {
  assertMay(context.principal, { scope: "payments:write" });
  const { amount, asset, type, description } = input;
  const id = await requestTransfer(context, {
    amount,
    asset,
    type,
    description,
    reference: key,
    destinationAccountId: input.destination,
    metadata: { ...input.metadata, "orchestration/instance": instanceId },
    waitsForApproval: input.waitingValidation,
    ...(input.connectorID === undefined ? {} : { connectorId: input.connectorID }),
    ...(input.provider === undefined ? {} : { provider: input.provider }),
    ...(input.source === undefined ? {} : { sourceAccountId: input.source }),
  });
  return { id };
}
