import { toAccountKey } from "#modules/payments/core/account-keys.ts";
import type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import type { OpeningAmounts } from "#modules/payments/core/payment-amounts.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { Timestamp } from "#platform/time.ts";

type Metadata = Readonly<Record<string, string>>;

/** The states of a payment that a provider or a client reports at once, with the details of the payment. */
export interface PaymentReport extends OpeningAmounts {
  readonly reference: string;
  readonly type: PaymentType;
  readonly createdAt: Timestamp;
  readonly scheme: PaymentScheme;
  readonly asset: string;
  /** Whether a new payment begins with the amounts of this report instead of those of its adjustments. */
  readonly setsAmounts: boolean;
  readonly source?: PaymentEnd;
  readonly destination?: PaymentEnd;
  readonly psuId?: string;
  readonly connectionId?: string;
  /** See `ProviderPayment`. */
  readonly initiationReference?: string;
  readonly metadata: Metadata;
  readonly adjustments: readonly ReportedAdjustment[];
}

export interface PaymentEnd {
  readonly id: string;
  /** The account as rows name it; see `core/account-keys.ts`. */
  readonly key: string;
}

export interface ReportedAdjustment {
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly status: PaymentStatus;
  readonly amount?: bigint;
  readonly asset?: string;
  readonly metadata: Metadata;
  /** The provider's or client's data, as JSON. */
  readonly raw: string;
}

/** An account of the payment's own connector. */
export const ownEnd = ({ id, key }: InstalledConnector, reference: string): PaymentEnd => ({
  id: encodeOwnedId({ connector: id, reference }),
  key: toAccountKey(key, reference),
});
