import { notWritten } from "./client.ts";
import type { Movement, MovementResult } from "#modules/payments/connectors/contract.ts";
import type { ApiClient } from "#modules/payments/connectors/kit/client.ts";

/** Moves money. The reference of the movement is the idempotency key at the provider. */
export async function createMovement(
  _client: ApiClient,
  { type }: Movement,
): Promise<MovementResult> {
  throw notWritten(`CREATE_${type}`);
}
