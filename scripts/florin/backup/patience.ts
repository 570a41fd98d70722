import { setTimeout as sleep } from "node:timers/promises";
import { RefusedCall, UnclearError } from "#scripts/lib/api.ts";

/** Waits before a read is repeated, in milliseconds: a server that restarts or is busy answers within a minute. */
const WAITS_MS = [250, 1000, 3000, 10_000, 20_000, 30_000];
const TOO_MANY = 429;

/**
 * Reads, and reads again while the server is busy or does not answer. `hasGoneOn` says whether the read has come further since it was asked
 * last: then it has all its time again.
 */
export async function withPatience<T>(
  read: () => Promise<T>,
  hasGoneOn: () => boolean = () => false,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await read();
    } catch (error) {
      const isBusy = error instanceof RefusedCall && error.status === TOO_MANY;
      if (!isBusy && !(error instanceof UnclearError)) throw error;
      if (hasGoneOn()) tries = 0;
      const waitMs = WAITS_MS[tries];
      if (waitMs === undefined) throw error;
      await sleep(waitMs);
    }
  }
}
