import { createHash } from "node:crypto";
import { stringifyJson } from "#platform/json.ts";

/** What a movement of money and the payment that is made of it have in common. */
export interface MovementParties {
  readonly type: string;
  readonly asset: string;
  readonly amount: bigint;
  /** The references of the accounts at its ends. */
  readonly source?: string | undefined;
  readonly destination?: string | undefined;
}

/** Equal for what moves the same amount in the same way between the same accounts; an end that is not named is equal to no account. */
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
