import { stateGuardOf } from "./state-guard.ts";
import { AppError } from "#platform/errors.ts";
import { log, logError } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { isTakingBackup } from "#platform/restoration/restore-mode.ts";

/** Wait of work that must not touch the tables now, in milliseconds. */
const PUT_OFF_MS = 60_000;
/** Least time between two lines of the log that say that work waits, in milliseconds. */
const LOG_PAUSE_MS = 60_000;

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

/**
 * Whether the deployment takes a backup. A wrong value of the setting puts work off, too: an alarm that fails is lost after some repetitions.
 * The log says from time to time that work waits, because the setting may have been left by mistake.
 */
function takesBackup(env: Env): boolean {
  try {
    if (!isTakingBackup(env)) return false;
    whenDue(env, () => log("warn", "work waits, because FLORIN_RESTORE is set"));
  } catch (error) {
    whenDue(env, () => logError("work waits, because the settings are wrong", error));
  }
  return true;
}

/** When an isolate has logged last that work waits, in milliseconds since the epoch. */
const loggedOf = memoByEnv((_env: object) => ({ atMs: -Infinity }));

/** Logs that work waits, unless the isolate has done so a moment ago: a deployment has an alarm for each of its objects. */
function whenDue(env: Env, write: () => void): void {
  const logged = loggedOf(env);
  const nowMs = Date.now();
  if (Math.abs(nowMs - logged.atMs) < LOG_PAUSE_MS) return;
  logged.atMs = nowMs;
  write();
}
