import { sql } from "drizzle-orm";
import { DATABASE, keepSize, type LargeStorage, listLarge, whatToDo } from "./sizes.ts";
import type { ServiceContext } from "#platform/context.ts";
import { type Database, databaseOf } from "#platform/db/database.ts";
import { log } from "#platform/log.ts";
import { toMillis } from "#platform/time.ts";

/** Time between two sweeps, which measure the database and tell the operator, in milliseconds. */
const WATCH_MS = 3_600_000;
/** Share of a limit from which the log line is an error instead of a warning. */
const ALARMING_SHARE = 0.9;

/**
 * Measures the database, and logs each database or object near its limit: name, size, limit, growth a day, and advice. Objects measure
 * themselves. Returns the time of the next sweep, in milliseconds since the epoch.
 */
export async function sweepSizes({ env, clock }: ServiceContext): Promise<number> {
  const nowMs = toMillis(clock());
  const db = databaseOf(env);
  await keepSize(db, DATABASE, { bytes: await bytesOf(db), measuredMs: nowMs });
  for (const large of await listLarge(db, nowMs)) tell(large);
  return nowMs + WATCH_MS;
}

/** The size of the database, which is part of each answer of D1. */
async function bytesOf(db: Database): Promise<number> {
  const { meta } = await db.run(sql`SELECT 1`);
  return meta.size_after;
}

function tell(large: LargeStorage): void {
  const { name, bytes, limitBytes, growthPerDay } = large;
  const share = bytes / limitBytes;
  const isGrowing = growthPerDay !== undefined && growthPerDay > 0;
  log(share < ALARMING_SHARE ? "warn" : "error", `storage is ${percentOf(share)} full`, {
    what: name,
    bytes,
    limitBytes,
    growthPerDay,
    fullInDays: isGrowing ? Math.floor(Math.max(0, limitBytes - bytes) / growthPerDay) : undefined,
    whatToDo: whatToDo(large),
  });
}

const percentOf = (share: number): string => `${Math.floor(share * 100)} %`;
