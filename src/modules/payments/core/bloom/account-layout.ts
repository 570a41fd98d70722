import { BloomLayout, unchanged } from "./bloom-layout.ts";
import { ACCOUNT_TYPES } from "#modules/payments/core/enums.ts";
import { decodeConnectorId } from "#modules/payments/core/ids.ts";

/**
 * The terms of accounts that lists and filters of dynamic pools ask for. Blocks are small because a pool reads all accounts that pass its
 * filter, which may be a few of each hundred.
 */
export const ACCOUNT_LAYOUT = new BloomLayout({
  rowsPerBlock: 16,
  wordCount: 24,
  enumKeys: { type: ACCOUNT_TYPES },
  amountKeys: [],
  textKeys: {
    default_asset: unchanged,
    name: unchanged,
    psu_id: unchanged,
    open_banking_connection_id: unchanged,
    connector_id: (value) => decodeConnectorId(value)?.reference,
  },
  lowCardinalityKeys: ["connector_id", "default_asset"],
});
