import { paymentConversions, paymentConversionSegments } from "./tables.ts";
import type { ProviderConversion } from "#modules/payments/connectors/provider-orders.ts";
import type { ConversionStatus } from "#modules/payments/core/enums.ts";
import { CONVERSION_TERMS } from "#modules/payments/core/terms/trade-terms.ts";
import type { TradeState } from "#modules/payments/core/trade-state.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import { Segments } from "#modules/payments/segments/segments.ts";

export const CONVERSION_SEGMENTS = new Segments({
  table: paymentConversionSegments,
  key: paymentConversions.key,
  terms: CONVERSION_TERMS,
});

/** The terms of a state and of the report that its fields are taken from. */
export const termsOfConversion = (
  { id }: InstalledConnector,
  { status, metadata }: TradeState<ConversionStatus>,
  newest: ProviderConversion,
): string[] =>
  CONVERSION_TERMS.of({
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
