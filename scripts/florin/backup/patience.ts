import { RefusedCall, UnclearError } from "#scripts/lib/api.ts";

/** Waits before a read is repeated, in milliseconds: a server that restarts or is busy answers within a minute. */
const WAITS_MS = [250, 1000, 3000, 10_000, 20_000, 30_000];
const TOO_MANY = 429;

/** Resolves after a time in milliseconds. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Reads, and reads again while the server is busy or does not answer. `hasGoneOn` says whether the read has come further since it was asked
 * last: then it has all its time again.
 */
export async function withPatience<T>(
  read: () => Promise<T>,
  hasGoneOn: () => boolean = () => false,
): Promise<T> {
  return repeat(read, {
    isPassing: (error) => isBusy(error) || error instanceof UnclearError,
    hasGoneOn,
  });
}

/** Makes a call that must not be repeated once it may have been carried out, and makes it again while the server is too busy to begin with it. */
export const whileBusy = <T>(call: () => Promise<T>): Promise<T> =>
  repeat(call, { isPassing: isBusy, hasGoneOn: () => false });

const isBusy = (error: unknown): boolean =>
  error instanceof RefusedCall && error.status === TOO_MANY;

async function repeat<T>(
  call: () => Promise<T>,
  {
    isPassing,
    hasGoneOn,
  }: { readonly isPassing: (error: unknown) => boolean; readonly hasGoneOn: () => boolean },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (hasGoneOn()) tries = 0;
      const waitMs = WAITS_MS[tries];
      if (waitMs === undefined) throw error;
      await sleep(waitMs);
    }
  }
}
