import { lt, sql } from "drizzle-orm";
import type { AnySQLiteColumn, SQLiteTable } from "drizzle-orm/sqlite-core";
import { authLogins } from "#modules/auth/authorize/tables.ts";
import { authInvitations, authSessions } from "#modules/auth/people/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type Timestamp, toMillis } from "#platform/time.ts";

/** A table whose rows expire. */
export type Expiring = SQLiteTable & { readonly expiresAt: AnySQLiteColumn };

/** Deletes invitations, sessions and logins that have expired. Returns when to run next, in milliseconds since the epoch. */
export const purgeLogins = (context: ServiceContext): Promise<number | undefined> =>
  purgeExpired(context, [authInvitations, authSessions, authLogins]);

/** Deletes the rows that have expired. Returns when the next row expires, in milliseconds since the epoch. */
export async function purgeExpired(
  { env, clock }: ServiceContext,
  tables: readonly Expiring[],
): Promise<number | undefined> {
  const db = databaseOf(env);
  const nextMs: number[] = [];
  for (const table of tables) {
    await db.delete(table).where(lt(table.expiresAt, clock()));
    const [next] = await db.all<{ at: Timestamp | null }>(
      sql`SELECT min(${table.expiresAt}) AS at FROM ${table}`,
    );
    const at = next?.at ?? undefined;
    // A row can be deleted after the millisecond in which it expires.
    if (at !== undefined) nextMs.push(toMillis(at) + 1);
  }
  return nextMs.length === 0 ? undefined : Math.min(...nextMs);
}
