import { AppError } from "#platform/errors.ts";
import { type Result, unwrap } from "#platform/result.ts";
import { isStorageFull, storageFull } from "#platform/storage-full.ts";
import { ownDeadline, type StartDeadline } from "#platform/work/deadline.ts";

/** Which object a call goes to, and what it does there. */
export interface ObjectCall {
  /** What error messages call the object: "ledger", "pipeline", "clock". */
  readonly object: string;
  /** A call that changes nothing may be repeated as it is. */
  readonly isRead?: boolean;
  /** After this time, in milliseconds, nobody waits any longer: the object hangs. Without it, the call may take any time. */
  readonly timeoutMs?: number;
  /** Objects that make many calls pass `sharedDeadlines()`. */
  readonly startDeadline?: StartDeadline;
}

/** Awaits a call of a Durable Object and unwraps its result. Throws as `reachObject` does, and what the result says. */
export async function callObject<T>(call: Promise<Result<T>>, to: ObjectCall): Promise<T> {
  let result: Result<T>;
  try {
    result = await inTime(call, to);
  } catch (error) {
    throw toCallError(error, to);
  }
  return unwrap(result);
}

/**
 * Awaits a call of a Durable Object. If the platform has refused the call or cut it off, or the call takes too long, its
 * outcome is unknown: it throws `OVERLOADED`, and nothing is repeated here, because only the client knows whether it may
 * be. A call that finds no room throws `STORAGE_FULL`.
 */
export async function reachObject<T>(call: Promise<T>, to: ObjectCall): Promise<T> {
  try {
    return await inTime(call, to);
  } catch (error) {
    throw toCallError(error, to);
  }
}

const inTime = <T>(call: Promise<T>, { timeoutMs, startDeadline }: ObjectCall): Promise<T> =>
  timeoutMs === undefined ? call : endsWithin(call, timeoutMs, startDeadline);

function toCallError(error: unknown, to: ObjectCall): unknown {
  // The platform also resets an object whose commit finds no room; nothing of it is kept then.
  if (isStorageFull(error)) return storageFull(error);
  if (!isPlatformFailure(error)) return error;
  return new AppError("OVERLOADED", messageOf(to), { cause: error });
}

const messageOf = ({ object, isRead = false }: ObjectCall): string =>
  isRead
    ? `the ${object} is busy or was restarted; try again`
    : `the ${object} is busy or was restarted; the outcome of this request is unknown. If it has an idempotency key, repeat it with the same one`;

/** The call goes on after its time: nothing can stop it. Only its caller stops waiting. */
async function endsWithin<T>(
  call: Promise<T>,
  timeoutMs: number,
  startDeadline: StartDeadline = ownDeadline,
): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const deadline = startDeadline(timeoutMs, () => reject(new CallTimeoutError(timeoutMs)));
  try {
    return await Promise.race([call, promise]);
  } finally {
    deadline.end();
  }
}

class CallTimeoutError extends Error {
  override readonly name = "CallTimeoutError";

  constructor(timeoutMs: number) {
    super(`the object did not answer within ${timeoutMs} ms`);
  }
}

function isPlatformFailure(error: unknown): boolean {
  if (error instanceof CallTimeoutError) return true;
  if (!(error instanceof Error)) return false;
  const flags = error as {
    overloaded?: boolean;
    retryable?: boolean;
    durableObjectReset?: boolean;
  };
  return flags.overloaded === true || flags.retryable === true || flags.durableObjectReset === true;
}
