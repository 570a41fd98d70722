import { asItIs, SegmentTerms } from "./segment-terms.ts";
import { PAYMENT_SCHEMES, PAYMENT_STATUSES, PAYMENT_TYPES } from "#modules/payments/core/enums.ts";
import { decodeConnectorId, decodeOwnedId } from "#modules/payments/core/ids.ts";

const accountOf = (value: string): string | undefined => decodeOwnedId(value)?.reference;

/** What lists of payments are asked for. An account is known by its reference, whatever connector it is of. */
export const PAYMENT_TERMS = new SegmentTerms({
  size: 32,
  words: 40,
  sets: { status: PAYMENT_STATUSES, type: PAYMENT_TYPES, scheme: PAYMENT_SCHEMES },
  amounts: ["amount", "initial_amount"],
  texts: {
    asset: asItIs,
    psu_id: asItIs,
    open_banking_connection_id: asItIs,
    connector_id: (value) => decodeConnectorId(value)?.reference,
    source_account_id: accountOf,
    destination_account_id: accountOf,
  },
  few: ["connector_id", "asset"],
});
