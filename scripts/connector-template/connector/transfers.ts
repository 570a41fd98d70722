import { notWritten } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** Moves money. The reference of the movement is the idempotency key at the provider. */
export async function createMovement(
  _client: kit.ApiClient,
  movement: kit.Movement,
): Promise<kit.MovementResult> {
  const { type } = kit.requireComplete(movement);
  throw notWritten(`CREATE_${type}`);
}
