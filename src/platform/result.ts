import { AppError, type Failure } from "./errors.ts";

/** The result of an RPC call. A thrown error would lose its class on the way and be logged as uncaught. */
export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

/** Runs `work` and turns an expected failure into data. Other errors are thrown. */
export function attempt<T>(work: () => T): Result<T> {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, failure: toFailure(error) };
    throw error;
  }
}

/** Awaits work and turns an expected failure into data. Other errors are thrown. */
export async function asResult<T>(work: Promise<T>): Promise<Result<T>> {
  try {
    return { ok: true, value: await work };
  } catch (error) {
    if (error instanceof AppError) return { ok: false, failure: toFailure(error) };
    throw error;
  }
}

/** Maps the value of a result; a failure stays as it is. */
export const mapResult = <T, U>(result: Result<T>, map: (value: T) => U): Result<U> =>
  result.ok ? { ok: true, value: map(result.value) } : result;

/** Gives the value of a result, or throws its failure as an `AppError`. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw toError(result.failure);
}

/** The error of a failure, for `throw`. */
export const toError = ({ kind, message, ...options }: Failure): AppError =>
  new AppError(kind, message, options);

export function toFailure({ kind, message, details, retryAfterSeconds }: AppError): Failure {
  return {
    kind,
    message,
    ...(details === undefined ? {} : { details }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
