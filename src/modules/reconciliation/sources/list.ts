import { and } from "drizzle-orm";
import { type LineSource, toSource } from "./source.ts";
import { isListed } from "./store.ts";
import { reconciliationSources } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const SOURCES: ListTable<LineSource> = {
  keys: {
    id: uuidKey(reconciliationSources.id),
    name: { type: "text", column: reconciliationSources.name },
    kind: { type: "set", column: reconciliationSources.kind },
    createdAt: { type: "date", column: reconciliationSources.createdAt },
  },
  sort: {
    created_at: {
      type: "date",
      column: reconciliationSources.createdAt,
      tie: reconciliationSources.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the sources that the principal may read, the newest first. Throws `VALIDATION` for a bad filter. */
export const listSources = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<LineSource>> =>
  listPage(query, {
    ...SOURCES,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(reconciliationSources)
        .where(and(isListed(principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toSource);
    },
  });
