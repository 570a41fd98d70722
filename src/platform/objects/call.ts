import { AppError } from "#platform/errors.ts";
import { type Result, unwrap } from "#platform/result.ts";
import { isStorageFull, storageFull } from "#platform/storage-full.ts";
import { ownDeadline, type StartDeadline } from "#platform/work/deadline.ts";

/** The object of a call and the kind of the call. */
export interface ObjectCall {
  /** The name of the object in error messages: "ledger", "pipeline", "clock". */
  readonly object: string;
  /** Whether the call may be repeated as it is: a call that changes nothing, or a write that has the same effect twice. Absent for no. */
  readonly isRepeatable?: boolean;
  /** Longest wait for the object, in milliseconds; absent for no limit. */
  readonly timeoutMs?: number;
  /** The start of a deadline. Objects that make many calls pass `sharedDeadlines()`. */
  readonly startDeadline?: StartDeadline;
}

/** Awaits a call of a Durable Object and unwraps its result. Throws the errors of `reachObject`, and the failure of the result. */
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
 * Awaits a call of a Durable Object. Throws `OVERLOADED` if the platform has refused the call or cut it off, or if the call takes too long.
 * The outcome of such a call is unknown, and it is not repeated here, because only the client knows whether a repetition is safe. Throws
 * `STORAGE_FULL` for a call that finds no room.
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
  // The platform also resets an object whose commit finds no room, and drops the whole commit.
  if (isStorageFull(error)) return storageFull(error);
  if (!isPlatformFailure(error)) return error;
  return new AppError("OVERLOADED", messageOf(to), { cause: error });
}

const messageOf = ({ object, isRepeatable = false }: ObjectCall): string =>
  isRepeatable
    ? `the ${object} is busy or was restarted; try again`
    : `the ${object} is busy or was restarted; the outcome of this request is unknown. If it has an idempotency key, repeat it with the same one`;

/** Ends the wait for a call after its time. The call itself goes on, because nothing can stop it. */
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
