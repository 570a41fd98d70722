import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { fillReserve } from "#platform/db/reserve.ts";
import { log } from "#platform/log.ts";
import { toMillis } from "#platform/time.ts";

/** Time until the next sweep, in milliseconds: for an incomplete and for a complete reserve. */
const MISSING_MS = 60_000;
const COMPLETE_MS = 3_600_000;

/** Fills the reserve as far as the database has room. Returns the time of the next sweep, in milliseconds since the epoch. */
export async function sweepReserve({ env, clock }: ServiceContext): Promise<number> {
  const isComplete = await fillReserve(databaseOf(env));
  if (!isComplete) {
    log("warn", "the reserve of the database is not complete: there is no room for it", {
      whatToDo:
        "delete what is no longer needed; see 'When the disk is full' in docs/operations.md",
    });
  }
  return toMillis(clock()) + (isComplete ? COMPLETE_MS : MISSING_MS);
}
