import { and } from "drizzle-orm";
import { type Matching, toMatching } from "./matching.ts";
import { isListed } from "./store.ts";
import { reconciliationMatchings } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const MATCHINGS: ListTable<Matching> = {
  keys: {
    id: uuidKey(reconciliationMatchings.id),
    name: { type: "text", column: reconciliationMatchings.name },
    leftSourceID: uuidKey(reconciliationMatchings.leftSourceId),
    rightSourceID: uuidKey(reconciliationMatchings.rightSourceId),
    createdAt: { type: "date", column: reconciliationMatchings.createdAt },
    updatedAt: { type: "date", column: reconciliationMatchings.updatedAt },
  },
  sort: {
    created_at: {
      type: "date",
      column: reconciliationMatchings.createdAt,
      tie: reconciliationMatchings.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the matchings that the principal may read, the newest first. Throws `VALIDATION` for a bad filter. */
export const listMatchings = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<Matching>> =>
  listPage(query, {
    ...MATCHINGS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(reconciliationMatchings)
        .where(and(isListed(principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toMatching);
    },
  });
