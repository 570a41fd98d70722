import { stateGuardOf } from "./state-guard.ts";
import { AppError } from "#platform/errors.ts";

/** How long work that must not touch the tables waits, in milliseconds. */
const PUT_OFF_MS = 60_000;

/**
 * Whether the work of an object's alarm has to wait, because the database has tables that are not this code's: then the alarm is set for
 * a minute later. The object's `alarm` asks first. A failed alarm would be repeated by the platform a few times only.
 */
export async function isPutOff(
  storage: Pick<DurableObjectStorage, "setAlarm">,
  env: Env,
): Promise<boolean> {
  if (await isFitFor(env)) return false;
  await storage.setAlarm(Date.now() + PUT_OFF_MS);
  return true;
}

/** Gives all messages of a batch back to their queue, for a minute, where the database has tables that are not this code's. */
export async function isGivenBack(batch: MessageBatch, env: Env): Promise<boolean> {
  if (await isFitFor(env)) return false;
  batch.retryAll({ delaySeconds: PUT_OFF_MS / 1000 });
  return true;
}

async function isFitFor(env: Env): Promise<boolean> {
  const guard = stateGuardOf(env);
  if (guard.fits) return true;
  try {
    await guard.assertFits();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false; // the guard has logged why
    throw error;
  }
}
