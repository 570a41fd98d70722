import { and, eq, type SQL, sql } from "drizzle-orm";
import { authGrants } from "./tables.ts";
import { REVOCATION_KEPT_MS } from "#modules/auth/revocations/revoke.ts";
import { authRevocations } from "#modules/auth/revocations/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

/**
 * The statement that revokes the access tokens of all grants of a person, under a condition. It goes before the statement that
 * deletes the grants. Tokens of later grants stay valid, even in the same second.
 */
export const revocationsOfGrants = (
  { env, clock }: ServiceContext,
  { subject, where }: { readonly subject: string; readonly where: SQL },
) => {
  const nowMs = toMillis(clock());
  const isTheirs = and(eq(authGrants.subject, subject), where);
  return databaseOf(env).insert(authRevocations).select(sql`
    SELECT NULL, 'grant', ${authGrants.id}, ${Math.floor(nowMs / 1000)}, ${nowMs + REVOCATION_KEPT_MS}
    FROM ${authGrants} WHERE ${isTheirs}`);
};
