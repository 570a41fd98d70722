import { and, eq, type SQL } from "drizzle-orm";
import { authInvitations } from "#modules/auth/people/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";

/**
 * The statement that ends the invitations and the links for a new password of a maker, under a condition: somebody who loses
 * scopes, or is gone, can no longer give them. It goes into the batch of the change that it follows.
 */
export const endLinksOf = ({ env }: Pick<ServiceContext, "env">, maker: string, condition?: SQL) =>
  databaseOf(env)
    .delete(authInvitations)
    .where(and(eq(authInvitations.maker, maker), condition));
