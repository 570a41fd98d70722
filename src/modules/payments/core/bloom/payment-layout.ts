import { BloomLayout, unchanged } from "./bloom-layout.ts";
import { PAYMENT_SCHEMES, PAYMENT_STATUSES, PAYMENT_TYPES } from "#modules/payments/core/enums.ts";
import { decodeConnectorId, decodeOwnedId } from "#modules/payments/core/ids.ts";

const accountReference = (value: string): string | undefined => decodeOwnedId(value)?.reference;

/** The terms of payments that lists ask for. The term of an account has its reference without its connector. */
export const PAYMENT_LAYOUT = new BloomLayout({
  rowsPerBlock: 32,
  wordCount: 40,
  enumKeys: { status: PAYMENT_STATUSES, type: PAYMENT_TYPES, scheme: PAYMENT_SCHEMES },
  amountKeys: ["amount", "initial_amount"],
  textKeys: {
    asset: unchanged,
    psu_id: unchanged,
    open_banking_connection_id: unchanged,
    connector_id: (value) => decodeConnectorId(value)?.reference,
    source_account_id: accountReference,
    destination_account_id: accountReference,
  },
  lowCardinalityKeys: ["connector_id", "asset"],
});
