import { and, eq, type SQL } from "drizzle-orm";
import type { BatchItem } from "drizzle-orm/batch";
import { toAuthorityColumn } from "#modules/auth/authority/stored-authority.ts";
import { authLogins } from "#modules/auth/authorize/tables.ts";
import { FULL_AUTHORITY } from "#modules/auth/core/authority.ts";
import { deleteGrantsOf } from "#modules/auth/grants/grant-store.ts";
import { revocationsOfGrants } from "#modules/auth/grants/revocations.ts";
import { authPasskeys } from "#modules/auth/passkeys/tables.ts";
import { authPeople, authSessions } from "#modules/auth/people/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * The statements that end all credentials of a person, under a condition: password, passkeys, sessions, logins that are under
 * way, codes and refresh tokens at once, access tokens within a minute. They go into the batch of the change that they follow.
 */
export function endCredentials(
  context: ServiceContext,
  personId: string,
  condition: SQL,
): readonly BatchItem<"sqlite">[] {
  const db = databaseOf(context.env);
  const tables = [authPasskeys, authSessions, authLogins];
  return [
    db
      .update(authPeople)
      // Nothing is left that goes back to whoever has vouched for the person, so that the next link alone counts.
      .set({ password: null, vouchedBy: toAuthorityColumn(FULL_AUTHORITY) })
      .where(and(eq(authPeople.id, personId), condition)),
    ...tables.map((table) => db.delete(table).where(and(eq(table.personId, personId), condition))),
    revocationsOfGrants(context, { subject: personId, condition }),
    ...deleteGrantsOf(context, { subject: personId }, condition),
  ];
}
