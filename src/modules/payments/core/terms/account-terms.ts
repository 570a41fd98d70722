import { asItIs, SegmentTerms } from "./segment-terms.ts";
import { ACCOUNT_TYPES } from "#modules/payments/core/enums.ts";
import { decodeConnectorId } from "#modules/payments/core/ids.ts";

/**
 * What lists of accounts, and filters of dynamic pools, ask for. Segments are small because a pool reads all accounts that fit, which
 * may be a few of each hundred.
 */
export const ACCOUNT_TERMS = new SegmentTerms({
  size: 16,
  words: 24,
  sets: { type: ACCOUNT_TYPES },
  amounts: [],
  texts: {
    default_asset: asItIs,
    name: asItIs,
    psu_id: asItIs,
    open_banking_connection_id: asItIs,
    connector_id: (value) => decodeConnectorId(value)?.reference,
  },
  few: ["connector_id", "default_asset"],
});
