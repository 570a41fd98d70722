import { paymentOrders, paymentOrderSegments } from "./tables.ts";
import type { ProviderOrder } from "#modules/payments/connectors/provider-orders.ts";
import type { OrderStatus } from "#modules/payments/core/enums.ts";
import { ORDER_TERMS } from "#modules/payments/core/terms/trade-terms.ts";
import type { TradeState } from "#modules/payments/core/trade-state.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { Segments } from "#modules/payments/segments/segments.ts";

export const ORDER_SEGMENTS = new Segments({
  table: paymentOrderSegments,
  key: paymentOrders.key,
  terms: ORDER_TERMS,
});

/** The terms of a state, and of the report that its fields are taken from, if any. */
export const termsOfOrder = (
  { id }: InstalledConnector,
  { status, metadata }: TradeState<OrderStatus>,
  newest: ProviderOrder | undefined,
): string[] =>
  ORDER_TERMS.of({
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
