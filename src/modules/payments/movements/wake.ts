import type { ConnectorId } from "#modules/payments/core/ids.ts";
import type { ServiceContext } from "#platform/context.ts";
import { logError } from "#platform/log.ts";
import { objectAt } from "#platform/objects/address.ts";
import { type ObjectCall, reachObject } from "#platform/objects/call.ts";

/** The options of a call that wakes a connector's object. Such a call may be repeated. */
export const TO_CONNECTOR: ObjectCall = {
  object: "connector",
  isRepeatable: true,
  timeoutMs: 5000,
};

/**
 * Makes a connector's object read its rows, right after they were changed. Never throws: an object that could not be reached looks by itself
 * within some seconds.
 */
export async function refreshConnector(
  { env }: Pick<ServiceContext, "env">,
  reference: string,
): Promise<void> {
  try {
    await reachObject(objectAt(env, env.CONNECTORS, reference).refresh(), TO_CONNECTOR);
  } catch (error) {
    logError("a connector could not be woken after it was armed", error, { connector: reference });
  }
}

/**
 * Makes a connector's object move due money, right after a movement was stored. Never throws: the sweep wakes an object
 * that could not be reached.
 */
export async function wakeMovements(
  { env }: Pick<ServiceContext, "env">,
  { reference }: Pick<ConnectorId, "reference">,
): Promise<void> {
  try {
    await reachObject(objectAt(env, env.CONNECTORS, reference).move(), TO_CONNECTOR);
  } catch (error) {
    logError("a connector could not be woken to move money; the sweep wakes it", error, {
      connector: reference,
    });
  }
}
