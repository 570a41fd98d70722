import { type BackupReads, RefusedCall, UnclearError } from "./calls.ts";

/** Waits before a read is repeated, in milliseconds: a server that restarts or is busy answers within a minute. */
const WAITS_MS = [250, 1000, 3000, 10_000, 20_000, 30_000];
const TOO_MANY = 429;

/** Resolves after a time in milliseconds. */
export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** How often a call is repeated. */
interface Repeating {
  /** Whether a read has come further since it was asked last: then it has all its time again. */
  readonly hasGoneOn?: () => boolean;
  readonly waitsMs?: BackupReads["waitsMs"];
}

/** Reads, and reads again while the server is busy or does not answer. */
export const withPatience = <T>(read: () => Promise<T>, repeating: Repeating = {}): Promise<T> =>
  repeat(read, {
    ...repeating,
    isPassing: (error) => isBusy(error) || error instanceof UnclearError,
  });

/** Makes a call that must not be repeated once it may have been carried out, and makes it again while the server is too busy to begin with it. */
export const whileBusy = <T>(call: () => Promise<T>, repeating: Repeating = {}): Promise<T> =>
  repeat(call, { ...repeating, isPassing: isBusy });

const isBusy = (error: unknown): boolean =>
  error instanceof RefusedCall && error.status === TOO_MANY;

async function repeat<T>(
  call: () => Promise<T>,
  {
    isPassing,
    hasGoneOn = () => false,
    waitsMs = WAITS_MS,
  }: Repeating & { readonly isPassing: (error: unknown) => boolean },
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (hasGoneOn()) tries = 0;
      const waitMs = waitsMs[tries];
      if (waitMs === undefined) throw error;
      await sleep(waitMs);
    }
  }
}
