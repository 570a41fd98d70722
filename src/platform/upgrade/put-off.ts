import { stateGuardOf } from "./state-guard.ts";
import { AppError } from "#platform/errors.ts";
import { logError } from "#platform/log.ts";
import { isTakingBackup } from "#platform/restoration/restore-mode.ts";

/** Wait of work that must not touch the tables now, in milliseconds. */
const PUT_OFF_MS = 60_000;

/**
 * Whether the work of an object's alarm has to wait, because the state is not one for this code (`StateGuard`), or the deployment is served to
 * take a backup. In this case the alarm is set for a minute later, because the platform repeats a failed alarm only a few times. The object's
 * `alarm` calls the function first.
 */
export async function isPutOff(
  storage: Pick<DurableObjectStorage, "setAlarm">,
  env: Env,
): Promise<boolean> {
  if (await isFitFor(env)) return false;
  await storage.setAlarm(Date.now() + PUT_OFF_MS);
  return true;
}

/**
 * Returns all messages of a batch to their queue in the cases of `isPutOff`, and says whether it did. `waitMs` says for how long, in
 * milliseconds; by default a minute.
 */
export async function isGivenBack(
  { messages }: MessageBatch,
  env: Env,
  waitMs: (message: Message) => number = () => PUT_OFF_MS,
): Promise<boolean> {
  if (await isFitFor(env)) return false;
  for (const message of messages) {
    message.retry({ delaySeconds: Math.ceil(waitMs(message) / 1000) });
  }
  return true;
}

async function isFitFor(env: Env): Promise<boolean> {
  if (takesBackup(env)) return false;
  const guard = stateGuardOf(env);
  if (guard.fits) return true;
  try {
    await guard.assertFits();
    return true;
  } catch (error) {
    if (error instanceof AppError) return false; // The guard has logged the reason.
    throw error;
  }
}

/** Whether the deployment takes a backup. A wrong value of the setting puts work off, too: an alarm that fails is lost after some repetitions. */
function takesBackup(env: Env): boolean {
  try {
    return isTakingBackup(env);
  } catch (error) {
    logError("the settings of the deployment are wrong, so that its work waits", error);
    return true;
  }
}
