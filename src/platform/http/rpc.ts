import { AppError } from "#platform/errors.ts";
import { type Result, unwrap } from "#platform/result.ts";

/**
 * Awaits a call of a Durable Object and unwraps its result. A call that the platform refused or cut off has an unknown
 * outcome: it is answered with `OVERLOADED` and never repeated here, as only the client knows whether it may be.
 */
export async function callObject<T>(call: Promise<Result<T>>): Promise<T> {
  let result: Result<T>;
  try {
    result = await call;
  } catch (error) {
    if (!isPlatformFailure(error)) throw error;
    throw new AppError(
      "OVERLOADED",
      "the ledger is busy or was restarted; the outcome of this request is not known, repeat it with its idempotency key",
      { cause: error },
    );
  }
  return unwrap(result);
}

function isPlatformFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const flags = error as {
    overloaded?: boolean;
    retryable?: boolean;
    durableObjectReset?: boolean;
  };
  return flags.overloaded === true || flags.retryable === true || flags.durableObjectReset === true;
}
