import { lt, sql } from "drizzle-orm";
import { authFormerAuthorities } from "#modules/auth/authority/tables.ts";
import {
  authCodes,
  authDeviceCodes,
  authGrants,
  authRefreshTokens,
} from "#modules/auth/grants/tables.ts";
import { authRevocations } from "#modules/auth/revocations/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

/** Tables whose rows expire. */
const EXPIRING = [
  authCodes,
  authDeviceCodes,
  authRefreshTokens,
  authGrants,
  authRevocations,
  authFormerAuthorities,
] as const;

/** Time that expired rows wait for the next sweep, in milliseconds, so that a busy deployment does not sweep all the time. */
const PURGE_INTERVAL_MS = 60_000;

/**
 * Deletes codes, device codes, refresh tokens, grants, revocations and former authorities that have expired. Returns when to run next, in
 * milliseconds since the epoch.
 */
export async function purgeGrants({ env, clock }: ServiceContext): Promise<number | undefined> {
  const db = databaseOf(env);
  const nowMs = toMillis(clock());
  const nextMs: number[] = [];
  for (const table of EXPIRING) {
    await db.delete(table).where(lt(table.expiresMs, nowMs));
    const [next] = await db.all<{ at: number | null }>(
      sql`SELECT min(${table.expiresMs}) AS at FROM ${table}`,
    );
    const atMs = next?.at ?? undefined;
    if (atMs !== undefined) nextMs.push(atMs + PURGE_INTERVAL_MS);
  }
  return nextMs.length === 0 ? undefined : Math.min(...nextMs);
}
