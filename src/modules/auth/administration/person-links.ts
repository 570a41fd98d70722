import { and, eq, exists, ne, type SQL, sql } from "drizzle-orm";
import { targetOf } from "./users.ts";
import { toAuthorityColumn } from "#modules/auth/authority/stored-authority.ts";
import type { EndUser } from "#modules/auth/core/end-user.ts";
import { authInvitations, authPeople } from "#modules/auth/people/tables.ts";
import { permit } from "#modules/auth/permits/permit.ts";
import { LOGINS_SWEEP } from "#modules/auth/sweeps.ts";
import { AuditedChange } from "#platform/audit/audited-change.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { AppError } from "#platform/errors.ts";
import { armClock } from "#platform/objects/deployment-clock.ts";
import { fromMillis, type Timestamp, toMillis } from "#platform/time.ts";

export interface NewPersonLink {
  /** The stored form of the link's secret. */
  readonly hash: string;
  /** How long the link works, in milliseconds. */
  readonly lifeMs: number;
  /** The action that the audit shows. */
  readonly action: string;
  /** The condition for the person's links of the same kind, which the new one replaces. */
  readonly isOfKind: SQL;
  /** The message for a person who logs in at another issuer. */
  readonly refusalFor: (issuer: string) => string;
}

/**
 * Stores a link of a person instead of the person's other links of its kind, in one batch. Whoever has the link can act as the person, so its
 * maker needs all authority of the person. Returns when the link ends; undefined if the person was deleted meanwhile, or has other scopes than
 * those that were checked. Throws `VALIDATION` for a maker who lacks authority,
 * and for a person who logs in at another issuer.
 */
export async function storePersonLink(
  context: ServiceContext,
  person: EndUser,
  { hash, lifeMs, action, isOfKind, refusalFor }: NewPersonLink,
): Promise<Timestamp | undefined> {
  const { env, clock } = context;
  const { actor, holds } = await permit(context, targetOf(person));
  if (person.issuer !== "") throw new AppError("VALIDATION", refusalFor(person.issuer));
  const db = databaseOf(env);
  const endMs = toMillis(clock()) + lifeMs;
  const expiresAt = fromMillis(endMs);
  const change = new AuditedChange(context, { action, object: `users/${person.id}` });
  const isMade = exists(
    db
      .select({ one: sql`1` })
      .from(authInvitations)
      .where(eq(authInvitations.hash, hash)),
  );
  const made = await change.store(
    db
      .insert(authInvitations)
      .select(
        sql`
          SELECT ${hash}, email, '[]', id, ${expiresAt}, 0, ${actor.maker}, ${toAuthorityColumn(actor.authority)}, '[]'
          FROM ${authPeople} WHERE id = ${person.id} AND ${holds}`,
      )
      .returning({ hash: authInvitations.hash }),
    db
      .delete(authInvitations)
      .where(
        and(
          eq(authInvitations.personId, person.id),
          isOfKind,
          ne(authInvitations.hash, hash),
          isMade,
        ),
      ),
  );
  if (made.length === 0) return undefined;
  await armClock(env, LOGINS_SWEEP, endMs + 1);
  return expiresAt;
}
