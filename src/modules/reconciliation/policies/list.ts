import { and, type SQL, sql } from "drizzle-orm";
import { type Policy, toPolicy } from "./policy.ts";
import { isListed } from "./store.ts";
import { reconciliationPolicies } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import { canonicalJson } from "#modules/reconciliation/core/canonical-json.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { parseJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const POLICIES: ListTable<Policy> = {
  keys: {
    id: uuidKey(reconciliationPolicies.id),
    name: { type: "text", column: reconciliationPolicies.name },
    ledgerName: { type: "text", column: reconciliationPolicies.ledger },
    paymentsPoolID: uuidKey(reconciliationPolicies.poolId),
    ledgerQuery: { type: "custom", matches: hasQuery },
    createdAt: { type: "date", column: reconciliationPolicies.createdAt },
  },
  sort: {
    created_at: {
      type: "date",
      column: reconciliationPolicies.createdAt,
      tie: reconciliationPolicies.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** SQL condition for policies whose query is the same JSON value as a text; no policy has a text that is not JSON. */
function hasQuery(text: string): SQL {
  try {
    return sql`${reconciliationPolicies.query} = ${canonicalJson(parseJson(text))}`;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return sql`FALSE`;
  }
}

/** A page of the policies that the principal may read, the newest first. Throws `VALIDATION` for a bad filter. */
export const listPolicies = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<Policy>> =>
  listPage(query, {
    ...POLICIES,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(reconciliationPolicies)
        .where(and(isListed(principal), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toPolicy);
    },
  });
