import { createHash } from "node:crypto";
import { stringifyJson } from "#platform/json.ts";

/** The members that a movement of money has in common with the payment that the provider makes of it. */
export interface MovementParties {
  readonly type: string;
  readonly asset: string;
  readonly amount: bigint;
  /** The references of the accounts from which and to which the money moves. */
  readonly source?: string | undefined;
  readonly destination?: string | undefined;
}

/**
 * Equal for movements of the same type and amount between the same accounts. An account that is not named differs from
 * every named one.
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
