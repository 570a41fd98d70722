import { paymentOrders, paymentOrderSegments } from "./tables.ts";
import { BloomIndex } from "#modules/payments/bloom-index/bloom-index.ts";
import type { ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import { ORDER_LAYOUT } from "#modules/payments/core/bloom/trade-layouts.ts";
import type { OrderStatus } from "#modules/payments/core/enums.ts";
import type { TradeState } from "#modules/payments/core/trade-state.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";

export const ORDER_BLOOM_INDEX = new BloomIndex({
  table: paymentOrderSegments,
  key: paymentOrders.key,
  layout: ORDER_LAYOUT,
});

/** The terms of a state, and of the report that its fields are taken from, if any. */
export const termsOfOrder = (
  { id }: InstalledConnector,
  { status, metadata }: TradeState<OrderStatus>,
  newest: ProviderOrder | undefined,
): string[] =>
  ORDER_LAYOUT.termsOf({
    texts: {
      status,
      connector_id: id.reference,
      direction: newest?.direction,
      type: newest?.type,
      time_in_force: newest?.timeInForce,
      source_asset: newest?.sourceAsset,
      destination_asset: newest?.destinationAsset,
    },
    amounts: {
      base_quantity_ordered: newest?.baseQuantityOrdered,
      base_quantity_filled: newest?.baseQuantityFilled,
      limit_price: newest?.limitPrice,
      fee: newest?.fee,
    },
    metadata,
  });
