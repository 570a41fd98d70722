import { toUsers } from "./store.ts";
import { paymentUsers } from "./tables.ts";
import type { User } from "./user.ts";
import { metadataKey, uuidKey } from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const USERS: ListTable<User> = {
  keys: {
    id: uuidKey(paymentUsers.id),
    metadata: metadataKey(paymentUsers),
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentUsers.createdAt,
      tie: paymentUsers.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of users. Throws `VALIDATION` for a bad filter. */
export function listUsers(
  { env }: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<User>> {
  const db = databaseOf(env);
  return listPage(query, {
    ...USERS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await db
        .select()
        .from(paymentUsers)
        .where(where)
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return toUsers(db, rows);
    },
  });
}
