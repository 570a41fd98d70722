import { CONVERSION_BLOOM_INDEX } from "./bloom-index.ts";
import type { Conversion } from "./conversion.ts";
import { toConversion } from "./store.ts";
import { paymentConversions } from "./tables.ts";
import { withConnectors } from "#modules/payments/installs/directory.ts";
import {
  connectorKey,
  metadataKey,
  ownAccountKey,
  ownedKey,
  unindexed,
} from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const CONVERSIONS: ListTable<typeof paymentConversions.$inferSelect> = {
  keys: {
    id: ownedKey(paymentConversions),
    reference: { type: "text", column: paymentConversions.reference },
    connector_id: connectorKey(unindexed(paymentConversions.connectorKey)),
    source_asset: { type: "text", column: paymentConversions.sourceAsset },
    destination_asset: { type: "text", column: paymentConversions.destinationAsset },
    status: { type: "set", column: paymentConversions.status },
    source_account_id: ownAccountKey({
      connectorKey: unindexed(paymentConversions.connectorKey),
      reference: paymentConversions.sourceReference,
      hash: paymentConversions.sourceHash,
    }),
    destination_account_id: ownAccountKey({
      connectorKey: unindexed(paymentConversions.connectorKey),
      reference: paymentConversions.destinationReference,
      hash: paymentConversions.destinationHash,
    }),
    source_amount: { type: "bigint", column: paymentConversions.sourceAmount },
    destination_amount: {
      type: "bigint",
      column: paymentConversions.destinationAmount,
      nullable: true,
    },
    metadata: metadataKey(paymentConversions),
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentConversions.createdAt,
      tie: paymentConversions.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of conversions. Throws `VALIDATION` for a bad filter. */
export async function listConversions(
  context: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<Conversion>> {
  const page = await listPage(query, {
    ...CONVERSIONS,
    read: async (all) => {
      const db = databaseOf(context.env);
      const scan = await CONVERSION_BLOOM_INDEX.narrow(db, query.where, all);
      if (scan === undefined) return [];
      return db
        .select()
        .from(paymentConversions)
        .where(isSelected(paymentConversions.key, scan))
        .orderBy(...scan.orderBy);
    },
  });
  return withConnectors(context, page, toConversion);
}
