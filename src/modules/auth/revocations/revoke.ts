import { sql } from "drizzle-orm";
import { authRevocations } from "./tables.ts";
import { armSweep, GRANTS_SWEEP } from "#modules/auth/sweeps.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

export type RevocationKind = (typeof authRevocations.$inferSelect)["kind"];

/** The tokens of a client, a person or a grant, or a single token. */
export interface Revoked {
  readonly kind: RevocationKind;
  readonly value: string;
}

/** Longest life of an access token, in seconds. */
const ACCESS_TOKEN_SECONDS_MAX = 3600;
/** How long a revocation is kept, in milliseconds: longer than any access token lives, because the clocks of machines differ. */
export const REVOCATION_KEPT_MS = ACCESS_TOKEN_SECONDS_MAX * 1000 + 10 * 60_000;

/**
 * The statement that revokes all access tokens of a client, a person or a grant that were issued until now, or a single token. It
 * goes into the batch of the change that it follows. Isolates read it within 45 seconds, as long as the database answers.
 */
export const revocationOf = (context: ServiceContext, revoked: Revoked) =>
  databaseOf(context.env).insert(authRevocations).select(rowOf(context, revoked));

/** The statement of `revocationOf`, which takes effect only if the statement before it in its batch has changed a row. */
export const revocationIfChanged = (context: ServiceContext, revoked: Revoked) =>
  databaseOf(context.env)
    .insert(authRevocations)
    .select(sql`${rowOf(context, revoked)} WHERE changes() > 0`);

/** Schedules the sweep that purges revocations. Called after each revocation. Never throws. */
export const armRevocationSweep = ({ env, clock }: ServiceContext): Promise<void> =>
  armSweep(env, GRANTS_SWEEP, toMillis(clock()) + REVOCATION_KEPT_MS);

function rowOf({ clock }: ServiceContext, { kind, value }: Revoked) {
  const nowMs = toMillis(clock());
  const revokedAt = Math.floor(nowMs / 1000);
  return sql`SELECT NULL, ${kind}, ${value}, ${revokedAt}, ${nowMs + REVOCATION_KEPT_MS}`;
}
