import { lt, sql } from "drizzle-orm";
import { authFormerAuthorities } from "#modules/auth/authority/tables.ts";
import { authCodes, authGrants, authRefreshTokens } from "#modules/auth/grants/tables.ts";
import { authRevocations } from "#modules/auth/revocations/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

/** What ends by itself. */
const EXPIRING = [
  authCodes,
  authRefreshTokens,
  authGrants,
  authRevocations,
  authFormerAuthorities,
] as const;

/** Purges what has expired within this time in one go, so that a busy deployment does not sweep all the time; in milliseconds. */
const PURGE_INTERVAL_MS = 60_000;

/** Deletes codes, refresh tokens, grants, revocations and former authorities that have expired; returns when to run next, in milliseconds. */
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
