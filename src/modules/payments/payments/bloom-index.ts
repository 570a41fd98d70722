import type { PaymentDraft } from "./draft.ts";
import { readMetadata } from "./draft.ts";
import { paymentPayments, paymentSegments } from "./tables.ts";
import { BloomIndex } from "#modules/payments/bloom-index/bloom-index.ts";
import { referenceOfKey } from "#modules/payments/core/account-keys.ts";
import { PAYMENT_LAYOUT } from "#modules/payments/core/bloom/payment-layout.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";

export const PAYMENT_BLOOM_INDEX = new BloomIndex({
  table: paymentSegments,
  key: paymentPayments.key,
  layout: PAYMENT_LAYOUT,
});

export function termsOfDraft(
  { id }: InstalledConnector,
  { details, state }: PaymentDraft,
): string[] {
  const { type, scheme, asset, psuId, connectionId, metadata } = details;
  return PAYMENT_LAYOUT.termsOf({
    texts: {
      type,
      scheme,
      asset,
      status: state.status,
      psu_id: psuId,
      open_banking_connection_id: connectionId,
      connector_id: id.reference,
      source_account_id: referenceOf(details.sourceAccount),
      destination_account_id: referenceOf(details.destinationAccount),
    },
    amounts: { amount: state.amount, initial_amount: state.initialAmount },
    metadata: readMetadata(metadata),
  });
}

const referenceOf = (accountKey: string | null): string | undefined =>
  accountKey === null ? undefined : referenceOfKey(accountKey);
