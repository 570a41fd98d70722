import { index, integer, sqliteTable, text, uniqueIndex } from "drizzle-orm/sqlite-core";
import type {
  OrderDirection,
  OrderStatus,
  OrderType,
  TimeInForce,
} from "#modules/payments/core/enums.ts";
import { ORDER_TERMS } from "#modules/payments/core/terms/trade-terms.ts";
import { segmentTable } from "#modules/payments/segments/table.ts";
import type { Timestamp } from "#platform/time.ts";

/** Orders at exchanges, as their newest states say. Amounts are decimal digits. */
export const paymentOrders = sqliteTable(
  "payment_orders",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    connectorKey: integer("connector_key").notNull(),
    /** The provider's id. */
    reference: text("reference").notNull(),
    clientOrderId: text("client_order_id"),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    updatedAt: text("updated_at").$type<Timestamp>().notNull(),
    direction: text("direction").$type<OrderDirection>().notNull(),
    sourceAsset: text("source_asset").notNull(),
    destinationAsset: text("destination_asset").notNull(),
    type: text("type").$type<OrderType>().notNull(),
    /** That of the newest adjustment. */
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
    /** References of accounts of the same connector. */
    sourceReference: text("source_reference"),
    destinationReference: text("destination_reference"),
    /** JSON object of texts. */
    metadata: text("metadata").notNull(),
    /** The signature of the metadata; see `core/signature.ts`. */
    metadataBits: integer("metadata_bits").notNull(),
  },
  (table) => [
    uniqueIndex("payment_orders_identity").on(table.reference, table.connectorKey),
    // In the order of lists, with all that their filters test.
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

/** The states of orders. A row is inserted once and stays as it is. */
export const paymentOrderAdjustments = sqliteTable(
  "payment_order_adjustments",
  {
    key: integer("key").primaryKey({ autoIncrement: true }),
    orderKey: integer("order_key").notNull(),
    /** Counts the states of the order from 0: of two that are stored at a time, the second is decided again. */
    ordinal: integer("ordinal").notNull(),
    /** What tells the states of an order apart: see `OrderAdjustmentId`. */
    identity: text("identity").notNull(),
    reference: text("reference").notNull(),
    createdAt: text("created_at").$type<Timestamp>().notNull(),
    status: text("status").$type<OrderStatus>().notNull(),
    baseQuantityFilled: text("base_quantity_filled"),
    fee: text("fee"),
    feeAsset: text("fee_asset"),
    metadata: text("metadata").notNull(),
    /** What the provider has sent, as JSON. */
    raw: text("raw").notNull(),
  },
  (table) => [
    uniqueIndex("payment_order_adjustments_order").on(table.orderKey, table.ordinal),
    uniqueIndex("payment_order_adjustments_identity").on(table.orderKey, table.identity),
  ],
);

/** Which terms orders have; see `segments.ts`. */
export const paymentOrderSegments = segmentTable("payment_order_segments", ORDER_TERMS);
