import { asItIs, SegmentTerms } from "./segment-terms.ts";
import {
  CONVERSION_STATUSES,
  ORDER_DIRECTIONS,
  ORDER_STATUSES,
  ORDER_TYPES,
  TIMES_IN_FORCE,
} from "#modules/payments/core/enums.ts";
import { decodeConnectorId, decodeOwnedId } from "#modules/payments/core/ids.ts";

/** What lists of both ask for. */
const TRADE_TEXTS = {
  source_asset: asItIs,
  destination_asset: asItIs,
  connector_id: (value: string) => decodeConnectorId(value)?.reference,
};
const FEW = Object.keys(TRADE_TEXTS);

export const ORDER_TERMS = new SegmentTerms({
  size: 32,
  words: 40,
  sets: {
    direction: ORDER_DIRECTIONS,
    type: ORDER_TYPES,
    status: ORDER_STATUSES,
    time_in_force: TIMES_IN_FORCE,
  },
  amounts: ["base_quantity_ordered", "base_quantity_filled", "limit_price", "fee"],
  texts: TRADE_TEXTS,
  few: FEW,
});

const accountOf = (value: string): string | undefined => decodeOwnedId(value)?.reference;

export const CONVERSION_TERMS = new SegmentTerms({
  size: 32,
  words: 40,
  sets: { status: CONVERSION_STATUSES },
  amounts: ["source_amount", "destination_amount"],
  texts: {
    ...TRADE_TEXTS,
    source_account_id: accountOf,
    destination_account_id: accountOf,
  },
  few: FEW,
});
