import { and, desc } from "drizzle-orm";
import { isAdjustmentOf } from "./adjustment-keys.ts";
import type { Initiation, InitiationAdjustment } from "./initiation.ts";
import { paymentInitiationAdjustments } from "./tables.ts";
import type { ObjectMetadata } from "#modules/payments/common/metadata.ts";
import { given } from "#modules/payments/core/given.ts";
import { metadataKey } from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { type ListTable, listPage } from "#platform/db/list.ts";
import { parseJson } from "#platform/json.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";

const ADJUSTMENTS: ListTable<InitiationAdjustment> = {
  keys: {
    status: { type: "set", column: paymentInitiationAdjustments.status },
    metadata: metadataKey(paymentInitiationAdjustments),
  },
  sort: {
    // The keys are in the order of the dates, too, because each adjustment is later than the one before.
    key: {
      type: "integer",
      column: paymentInitiationAdjustments.key,
      keyOf: ({ key }) => ({ value: BigInt(key) }),
    },
  },
};

/** A page of an initiation's adjustments, newest first. Throws `VALIDATION` for a bad filter. */
export function listInitiationAdjustments(
  { env }: Pick<ServiceContext, "env">,
  { key }: Initiation,
  query: PageQuery,
): Promise<Page<InitiationAdjustment>> {
  return listPage(query, {
    ...ADJUSTMENTS,
    read: async ({ where, orderBy, limit, offset }) => {
      const rows = await databaseOf(env)
        .select()
        .from(paymentInitiationAdjustments)
        .where(and(isAdjustmentOf(key), where))
        .orderBy(...orderBy)
        .limit(limit)
        .offset(offset);
      return rows.map(toAdjustment);
    },
  });
}

/** Most adjustments that an answer shows with their initiation. */
const SHOWN_MAX = 1000;

/** The adjustments of an initiation, newest first, `SHOWN_MAX` at most. */
export async function allInitiationAdjustments(
  { env }: Pick<ServiceContext, "env">,
  { key }: Initiation,
): Promise<InitiationAdjustment[]> {
  const rows = await databaseOf(env)
    .select()
    .from(paymentInitiationAdjustments)
    .where(isAdjustmentOf(key))
    .orderBy(desc(paymentInitiationAdjustments.key))
    .limit(SHOWN_MAX);
  return rows.map(toAdjustment);
}

function toAdjustment(row: typeof paymentInitiationAdjustments.$inferSelect): InitiationAdjustment {
  const { key, createdAt, status, amount, error, metadata } = row;
  return {
    key,
    createdAt,
    status,
    metadata: parseJson(metadata) as ObjectMetadata, // only this module writes the column
    ...given({ amount: amount === null ? undefined : BigInt(amount), error }),
  };
}
