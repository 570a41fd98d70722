import { and } from "drizzle-orm";
import { type Rule, toRule } from "./rule.ts";
import { isListed } from "./store.ts";
import { reconciliationRules } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const RULES: ListTable<Rule> = {
  keys: {
    id: uuidKey(reconciliationRules.id),
    name: { type: "text", column: reconciliationRules.name },
    templateKind: { type: "set", column: reconciliationRules.templateKind },
    enabled: { type: "boolean", column: reconciliationRules.enabled },
    createdAt: { type: "date", column: reconciliationRules.createdAt },
    updatedAt: { type: "date", column: reconciliationRules.updatedAt },
  },
  sort: {
    created_at: {
      type: "date",
      column: reconciliationRules.createdAt,
      tie: reconciliationRules.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of the rules that the principal may read, the newest first. Throws `VALIDATION` for a bad filter. */
export const listRules = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<Rule>> =>
  listPage(query, {
    ...RULES,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(reconciliationRules)
        .where(and(isListed(principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toRule);
    },
  });
