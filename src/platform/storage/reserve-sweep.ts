import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fillReserve } from "#platform/db/reserve.ts";
import { log } from "#platform/log.ts";
import { memoByEnv } from "#platform/memo.ts";
import { toMillis } from "#platform/time.ts";

/** When the reserve is looked at again, in milliseconds: while a part of it is missing, and otherwise. */
const MISSING_MS = 60_000;
const COMPLETE_MS = 3_600_000;

/** When this isolate has looked last, in milliseconds since the epoch. */
const lastLookOf = memoByEnv((_env: object) => ({ atMs: Number.NEGATIVE_INFINITY, nextMs: 0 }));

/**
 * Takes the room of the reserve, as far as there is some. The clock rings every few seconds while something is under way; the reserve is
 * looked at once a minute at most. Returns when to look next, in milliseconds since the epoch.
 */
export async function sweepReserve({ env, clock }: ServiceContext): Promise<number> {
  const last = lastLookOf(env);
  const nowMs = toMillis(clock());
  // Much time lies between the two as well where the machine's clock was set back.
  if (Math.abs(nowMs - last.atMs) < MISSING_MS) return last.nextMs;
  const isComplete = await fillReserve(databaseOf(env));
  if (!isComplete) {
    log("warn", "the reserve of the database is not complete: there is no room for it", {
      whatToDo: "delete what is no longer needed; see 'When the disk is full' in the README",
    });
  }
  last.atMs = nowMs;
  last.nextMs = nowMs + (isComplete ? COMPLETE_MS : MISSING_MS);
  return last.nextMs;
}
