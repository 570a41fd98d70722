import { and, eq, gt, type SQL, sql } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { fromAuthorityColumn, toAuthorityColumn } from "./stored-authority.ts";
import { authFormerAuthorities } from "./tables.ts";
import type { Authority } from "#modules/auth/core/authority.ts";
import { authSettings } from "#modules/auth/settings.ts";
import { armSweep, GRANTS_SWEEP } from "#modules/auth/sweeps.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

export interface Holder {
  readonly kind: "client" | "person";
  readonly id: string;
}

/** Longest life of an access token, in milliseconds. */
const ACCESS_TOKEN_MS_MAX = 3_600_000;

/**
 * Longest life, in milliseconds, of an access token, a refresh token or a session that was issued for an authority. Tokens that
 * are issued later for a refresh token are checked against the authority of that time.
 */
export function longestLifeMs(env: Env): number {
  const { FLORIN_REFRESH_TOKEN_LIFETIME, FLORIN_SESSION_LIFETIME } = authSettings.of(env);
  return Math.max(ACCESS_TOKEN_MS_MAX, FLORIN_REFRESH_TOKEN_LIFETIME, FLORIN_SESSION_LIFETIME);
}

/** The authorities that a client or a person had before, as long as tokens or sessions of that time may live. */
export async function formerAuthoritiesOf(
  { env, clock }: ServiceContext,
  { kind, id }: Holder,
): Promise<readonly Authority[]> {
  const { authority, expiresMs, holder, kind: kindColumn } = authFormerAuthorities;
  const rows = await databaseOf(env)
    .select({ authority })
    .from(authFormerAuthorities)
    .where(and(eq(kindColumn, kind), eq(holder, id), gt(expiresMs, toMillis(clock()))));
  return rows.map((row) => fromAuthorityColumn(row.authority));
}

/** The statement that keeps the authority that somebody has until a change. It goes before the change in its batch, under the same condition. */
export function recordFormerAuthority(
  { env, clock }: ServiceContext,
  { kind, id }: Holder,
  { now, condition }: { readonly now: Authority; readonly condition: SQL },
): BatchItem<"sqlite"> {
  const { authority, expiresMs, holder, kind: kindColumn } = authFormerAuthorities;
  const endMs = toMillis(clock()) + longestLifeMs(env);
  return databaseOf(env)
    .insert(authFormerAuthorities)
    .select(sql`SELECT ${kind}, ${id}, ${toAuthorityColumn(now)}, ${endMs} WHERE ${condition}`)
    .onConflictDoUpdate({
      target: [kindColumn, holder, authority],
      set: { expiresMs: sql`max(${expiresMs}, ${endMs})` },
    });
}

/** Schedules the sweep of former authorities. Called after each change with `recordFormerAuthority`. Never throws. */
export const armFormerAuthoritySweep = ({ env, clock }: ServiceContext): Promise<void> =>
  armSweep(env, GRANTS_SWEEP, toMillis(clock()) + longestLifeMs(env));
