import { toAccountKey } from "#modules/payments/core/account-keys.ts";
import type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { encodeOwnedId } from "#modules/payments/core/ids.ts";
import type { OpeningAmounts } from "#modules/payments/core/payment-amounts.ts";
import type { InstalledConnector } from "#modules/payments/installs/store.ts";
import type { Timestamp } from "#platform/time.ts";

type Metadata = Readonly<Record<string, string>>;

/** What is said of a payment at once, by a provider or by a client. */
export interface PaymentReport extends OpeningAmounts {
  readonly reference: string;
  readonly type: PaymentType;
  readonly createdAt: Timestamp;
  readonly scheme: PaymentScheme;
  readonly asset: string;
  /** Whether a payment that it opens begins with these amounts, whatever the adjustments tell. */
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

/** An account at one end of a payment. */
export interface PaymentEnd {
  readonly id: string;
  /** See `core/account-keys.ts`. */
  readonly key: string;
}

export interface ReportedAdjustment {
  readonly reference: string;
  readonly createdAt: Timestamp;
  readonly status: PaymentStatus;
  readonly amount?: bigint;
  readonly asset?: string;
  readonly metadata: Metadata;
  /** JSON. */
  readonly raw: string;
}

/** An account of the connector that the payment comes from. */
export const ownEnd = ({ id, key }: InstalledConnector, reference: string): PaymentEnd => ({
  id: encodeOwnedId({ connector: id, reference }),
  key: toAccountKey(key, reference),
});
