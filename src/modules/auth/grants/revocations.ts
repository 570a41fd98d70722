import { and, eq, type SQL, sql } from "drizzle-orm";
import { authGrants } from "./tables.ts";
import { REVOCATION_KEPT_MS } from "#modules/auth/revocations/revoke.ts";
import { authRevocations } from "#modules/auth/revocations/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { toMillis } from "#platform/time.ts";

/**
 * Makes the statement that revokes the access tokens of a person's grants if the condition holds. Its place is in the batch of the
 * change, before `deleteGrantsOf`. Revocations name grants, so tokens of later grants stay valid. Isolates know them within 45 seconds.
 * The caller calls `armRevocationSweep` after the batch.
 */
export const revocationsOfGrants = (
  { env, clock }: ServiceContext,
  { subject, condition }: { readonly subject: string; readonly condition: SQL },
) => {
  const nowMs = toMillis(clock());
  const isTheirs = and(eq(authGrants.subject, subject), condition);
  return databaseOf(env).insert(authRevocations).select(sql`
    SELECT NULL, 'grant', ${authGrants.id}, ${Math.floor(nowMs / 1000)}, ${nowMs + REVOCATION_KEPT_MS}
    FROM ${authGrants} WHERE ${isTheirs}`);
};
