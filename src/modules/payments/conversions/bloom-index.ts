import { paymentConversions, paymentConversionSegments } from "./tables.ts";
import { BloomIndex } from "#modules/payments/bloom-index/bloom-index.ts";
import type { ProviderConversion } from "#modules/payments/connectors/provider-orders.ts";
import { CONVERSION_LAYOUT } from "#modules/payments/core/bloom/trade-layouts.ts";
import type { ConversionStatus } from "#modules/payments/core/enums.ts";
import type { TradeState } from "#modules/payments/core/trade-state.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";

export const CONVERSION_BLOOM_INDEX = new BloomIndex({
  table: paymentConversionSegments,
  key: paymentConversions.key,
  layout: CONVERSION_LAYOUT,
});

/** The terms of a state and of the report that its fields are taken from. */
export const termsOfConversion = (
  { id }: InstalledConnector,
  { status, metadata }: TradeState<ConversionStatus>,
  newest: ProviderConversion,
): string[] =>
  CONVERSION_LAYOUT.termsOf({
    texts: {
      status,
      connector_id: id.reference,
      source_asset: newest.sourceAsset,
      destination_asset: newest.destinationAsset,
      source_account_id: newest.sourceReference,
      destination_account_id: newest.destinationReference,
    },
    amounts: { source_amount: newest.sourceAmount, destination_amount: newest.destinationAmount },
    metadata,
  });
