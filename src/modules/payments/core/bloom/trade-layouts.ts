import { BloomLayout, unchanged } from "./bloom-layout.ts";
import {
  CONVERSION_STATUSES,
  ORDER_DIRECTIONS,
  ORDER_STATUSES,
  ORDER_TYPES,
  TIMES_IN_FORCE,
} from "#modules/payments/core/enums.ts";
import { decodeConnectorId, decodeOwnedId } from "#modules/payments/core/ids.ts";

/** Keys of texts that lists of orders and lists of conversions both have. */
const TRADE_TEXT_KEYS = {
  source_asset: unchanged,
  destination_asset: unchanged,
  connector_id: (value: string) => decodeConnectorId(value)?.reference,
};
const LOW_CARDINALITY_KEYS = Object.keys(TRADE_TEXT_KEYS);

export const ORDER_LAYOUT = new BloomLayout({
  rowsPerBlock: 32,
  wordCount: 40,
  enumKeys: {
    direction: ORDER_DIRECTIONS,
    type: ORDER_TYPES,
    status: ORDER_STATUSES,
    time_in_force: TIMES_IN_FORCE,
  },
  amountKeys: ["base_quantity_ordered", "base_quantity_filled", "limit_price", "fee"],
  textKeys: TRADE_TEXT_KEYS,
  lowCardinalityKeys: LOW_CARDINALITY_KEYS,
});

const accountReference = (value: string): string | undefined => decodeOwnedId(value)?.reference;

export const CONVERSION_LAYOUT = new BloomLayout({
  rowsPerBlock: 32,
  wordCount: 40,
  enumKeys: { status: CONVERSION_STATUSES },
  amountKeys: ["source_amount", "destination_amount"],
  textKeys: {
    ...TRADE_TEXT_KEYS,
    source_account_id: accountReference,
    destination_account_id: accountReference,
  },
  lowCardinalityKeys: LOW_CARDINALITY_KEYS,
});
