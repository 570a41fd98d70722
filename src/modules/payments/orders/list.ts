import { ORDER_BLOOM_INDEX } from "./bloom-index.ts";
import type { TradeOrder } from "./order.ts";
import { toOrder } from "./store.ts";
import { paymentOrders } from "./tables.ts";
import { withConnectors } from "#modules/payments/installs/directory.ts";
import {
  connectorKey,
  metadataKey,
  ownedKey,
  unindexed,
} from "#modules/payments/installs/filters.ts";
import type { ServiceContext } from "#platform/context.ts";
import { databaseOf } from "#platform/db/database.ts";
import { isSelected, type ListTable, listPage } from "#platform/db/list.ts";
import type { Page } from "#platform/paging/pagination.ts";
import type { PageQuery } from "#platform/paging/query.ts";
import { toMicros } from "#platform/time.ts";

const ORDERS: ListTable<typeof paymentOrders.$inferSelect> = {
  keys: {
    id: ownedKey(paymentOrders),
    reference: { type: "text", column: paymentOrders.reference },
    connector_id: connectorKey(unindexed(paymentOrders.connectorKey)),
    direction: { type: "set", column: paymentOrders.direction },
    source_asset: { type: "text", column: paymentOrders.sourceAsset },
    destination_asset: { type: "text", column: paymentOrders.destinationAsset },
    type: { type: "set", column: paymentOrders.type },
    status: { type: "set", column: paymentOrders.status },
    time_in_force: { type: "set", column: paymentOrders.timeInForce },
    base_quantity_ordered: { type: "bigint", column: paymentOrders.baseQuantityOrdered },
    base_quantity_filled: {
      type: "bigint",
      column: paymentOrders.baseQuantityFilled,
      nullable: true,
    },
    limit_price: { type: "bigint", column: paymentOrders.limitPrice, nullable: true },
    fee: { type: "bigint", column: paymentOrders.fee, nullable: true },
    metadata: metadataKey(paymentOrders),
  },
  sort: {
    created_at: {
      type: "date",
      column: paymentOrders.createdAt,
      tie: paymentOrders.key,
      keyOf: ({ createdAt, key }) => ({ value: toMicros(createdAt), tie: BigInt(key) }),
    },
  },
};

/** A page of orders without their adjustments. Throws `VALIDATION` for a bad filter. */
export async function listOrders(
  context: Pick<ServiceContext, "env">,
  query: PageQuery,
): Promise<Page<TradeOrder>> {
  const page = await listPage(query, {
    ...ORDERS,
    read: async (all) => {
      const db = databaseOf(context.env);
      const scan = await ORDER_BLOOM_INDEX.narrow(db, query.where, all);
      if (scan === undefined) return [];
      return db
        .select()
        .from(paymentOrders)
        .where(isSelected(paymentOrders.key, scan))
        .orderBy(...scan.orderBy);
    },
  });
  return withConnectors(context, page, toOrder);
}
