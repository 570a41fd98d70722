import { createHash } from "node:crypto";
import { stringifyJson } from "#platform/json.ts";

/** Fields that a movement of money has in common with the payment that a provider makes of it. */
export interface MovementParties {
  readonly type: string;
  readonly asset: string;
  readonly amount: bigint;
  /** The references of the two accounts. */
  readonly source?: string | undefined;
  readonly destination?: string | undefined;
}

/**
 * The SHA-256 digest of these fields in base64url, by which a payment is looked up among movements (`payment_movements.signature`). An
 * account that is not given equals no account: a payment without it has another signature than the same payment with it.
 */
export const movementSignature = ({
  type,
  asset,
  amount,
  source,
  destination,
}: MovementParties): string =>
  createHash("sha256")
    .update(stringifyJson([type, asset, amount.toString(), source ?? null, destination ?? null]))
    .digest("base64url");
