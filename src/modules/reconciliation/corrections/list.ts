import { and, inArray } from "drizzle-orm";
import { type StoredCorrection, toCorrection } from "./correction.ts";
import { reconciliationCorrections } from "./tables.ts";
import { uuidKey } from "#modules/reconciliation/balances/uuid-key.ts";
import { isListed } from "#modules/reconciliation/matchings/store.ts";
import { reconciliationMatchings } from "#modules/reconciliation/matchings/tables.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const { id, key, matchingId, state, kind, line, createdAt } = reconciliationCorrections;

const CORRECTIONS: ListTable<StoredCorrection> = {
  keys: {
    id: uuidKey(id),
    matchingID: uuidKey(matchingId),
    state: { type: "set", column: state },
    kind: { type: "set", column: kind },
    line: { type: "integer", column: line },
    createdAt: { type: "date", column: createdAt },
  },
  sort: {
    created_at: {
      type: "date",
      column: createdAt,
      tie: key,
      keyOf: (correction) => ({
        value: toMicros(correction.createdAt),
        tie: BigInt(correction.key),
      }),
    },
  },
};

/** A page of the corrections of all matchings that the principal may read, the newest first. Throws `VALIDATION` for a bad filter. */
export const listCorrections = (
  { env, principal }: ServiceContext,
  query: PageQuery,
): Promise<Page<StoredCorrection>> => {
  const db = databaseOf(env);
  const readable = db
    .select({ id: reconciliationMatchings.id })
    .from(reconciliationMatchings)
    .where(isListed(principal));
  return listPage(query, {
    ...CORRECTIONS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await db
        .select()
        .from(reconciliationCorrections)
        .where(and(inArray(matchingId, readable), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toCorrection);
    },
  });
};
