import { isOlder } from "./complete.ts";
import type { FoundMovement } from "#modules/payments/connectors/contract.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { Initiation } from "#modules/payments/initiations/initiation.ts";
import { formatTimestamp } from "#platform/time.ts";

/** Why a person decides about an order whose reference the provider knows from elsewhere, such as an earlier installation. */
export const OTHER_ORDER = "the provider has the reference from another order";

/** Whether a payment may be that of an initiation: the provider's fee makes it less. */
export const isOwn = ({ asset, state }: Initiation, payment: ProviderPayment): boolean =>
  payment.asset === asset && payment.amount <= state.amount;

/**
 * Why a person decides about an order if what the provider knows under its reference is older than the order; undefined if it is not, or if the
 * provider does not say how old it is.
 */
export function olderThan(
  initiation: Pick<Initiation, "createdAt">,
  found: Exclude<FoundMovement, string>,
): string | undefined {
  const { reference, createdAt } = nameOf(found);
  if (createdAt === undefined || !isOlder(createdAt, initiation)) return undefined;
  return `${OTHER_ORDER}: ${reference}, of ${formatTimestamp(createdAt)}`;
}

function nameOf(found: Exclude<FoundMovement, string>) {
  if ("payment" in found) return found.payment;
  return "pollingId" in found ? { reference: found.pollingId, createdAt: found.createdAt } : {};
}
