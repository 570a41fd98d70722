import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import { bloomTable } from "#modules/payments/bloom-index/table.ts";
import { ORDER_LAYOUT } from "#modules/payments/core/bloom/trade-layouts.ts";
import type {
  OrderDirection,
  OrderStatus,
  OrderType,
  TimeInForce,
} from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** Orders at exchanges, in their newest states. Amounts are decimal digits. */
export const paymentOrders = sqliteTable(
  "payment_orders",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The provider's id of the order. */
    reference: text("reference").notNull(),
    clientOrderId: text("client_order_id"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    direction: text("direction").$type<OrderDirection>().notNull(),
    sourceAsset: text("source_asset").notNull(),
    destinationAsset: text("destination_asset").notNull(),
    type: text("type").$type<OrderType>().notNull(),
    /** The status of the newest adjustment. */
    status: text("status").$type<OrderStatus>().notNull(),
    baseQuantityOrdered: text("base_quantity_ordered").notNull(),
    baseQuantityFilled: text("base_quantity_filled"),
    limitPrice: text("limit_price"),
    stopPrice: text("stop_price"),
    timeInForce: text("time_in_force").$type<TimeInForce>().notNull(),
    expiresAt: text("expires_at").$type<Timestamp>(),
    quoteAmount: text("quote_amount"),
    quoteAsset: text("quote_asset"),
    fee: text("fee"),
    feeAsset: text("fee_asset"),
    averageFillPrice: text("average_fill_price"),
    priceAsset: text("price_asset"),
    /** The references of the accounts, which belong to the same connector. */
    sourceReference: text("source_reference"),
    destinationReference: text("destination_reference"),
    /** JSON of an object with texts. */
    metadata: text("metadata").notNull(),
    /** The Bloom filter of the metadata; see `core/bloom/metadata-bloom.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
  },
  (table) => [
    uniqueIndex("payment_orders_identity").on(table.reference, table.connectorKey),
    // In the order of lists, with all columns that filters test.
    index("payment_orders_listed").on(
      table.createdAt,
      table.key,
      table.connectorKey,
      table.direction,
      table.sourceAsset,
      table.destinationAsset,
      table.type,
      table.status,
      table.timeInForce,
      table.baseQuantityOrdered,
      table.baseQuantityFilled,
      table.limitPrice,
      table.fee,
      table.metadataBits,
    ),
    index("payment_orders_connector").on(table.connectorKey),
  ],
);

/** Adjustments of orders. A row never changes after it was inserted. */
export const paymentOrderAdjustments = sqliteTable(
  "payment_order_adjustments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    orderKey: integer("order_key").notNull(),
    /**
     * The position among the adjustments of the order, from 0. Of two changes that have seen the same adjustments, the
     * second fails and is decided again.
     */
    ordinal: integer("ordinal").notNull(),
    /** Identifies the state among those of its order; see `OrderAdjustmentId`. */
    identity: text("identity").notNull(),
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    status: text("status").$type<OrderStatus>().notNull(),
    baseQuantityFilled: text("base_quantity_filled"),
    fee: text("fee"),
    feeAsset: text("fee_asset"),
    metadata: text("metadata").notNull(),
    /** The provider's data, as JSON. */
    raw: text("raw").notNull(),
  },
  (table) => [
    uniqueIndex("payment_order_adjustments_order").on(table.orderKey, table.ordinal),
    uniqueIndex("payment_order_adjustments_identity").on(table.orderKey, table.identity),
  ],
);

/** Blocks of orders; see `bloom-index/bloom-index.ts`. */
export const paymentOrderSegments = bloomTable("payment_order_segments", ORDER_LAYOUT);
