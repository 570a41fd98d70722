import { isProviderAsset } from "#modules/payments/core/assets.ts";
import type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** What a provider reports, in the one form that all plugins give. References are the provider's own ids. */

interface ProviderObject {
  readonly createdAt: Timestamp;
  /** The user of open banking that it belongs to. */
  readonly psuId?: string;
  readonly connectionId?: string;
}

export interface ProviderAccount extends ProviderObject {
  readonly reference: string;
  readonly name?: string;
  readonly defaultAsset?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** What the provider has sent, as JSON text. */
  readonly raw: string;
}

export interface ProviderBalance extends ProviderObject {
  readonly accountReference: string;
  readonly amount: bigint;
  readonly asset: string;
}

/** One state of a payment. */
export interface ProviderPayment extends ProviderObject {
  /** The provider's id of this state, which is that of the payment where no parent is given. */
  readonly reference: string;
  /** The payment that this is a later state of: a refund of a charge. */
  readonly parentReference?: string;
  readonly type: PaymentType;
  readonly amount: bigint;
  readonly asset: string;
  readonly scheme: PaymentScheme;
  readonly status: PaymentStatus;
  readonly sourceReference?: string;
  readonly destinationReference?: string;
  /** The reference of the movement, or of the reversal, that it was made for, where the provider shows that. */
  readonly initiationReference?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** What the provider has sent, as JSON text. */
  readonly raw: string;
}

/** Something that a provider has sent, and that cannot be stored. */
export interface RejectedItem {
  readonly id: string;
  /** What was sent, as JSON text, without secrets and numbers of cards and bank accounts. */
  readonly raw: string;
  readonly reason: string;
}

/** What is wrong with an object of a provider, or undefined. A page with a bad object is not stored at all. */
export function accountProblem({ reference, defaultAsset }: ProviderAccount): string | undefined {
  if (reference === "") return "an account has no reference";
  return defaultAsset === undefined || isProviderAsset(defaultAsset)
    ? undefined
    : `the account ${reference} has the asset ${defaultAsset}, which is not valid`;
}

export function balanceProblem({ accountReference, asset }: ProviderBalance): string | undefined {
  if (accountReference === "") return "a balance has no account";
  return isProviderAsset(asset)
    ? undefined
    : `a balance of the account ${accountReference} has the asset ${asset}, which is not valid`;
}

export function paymentProblem({ reference, type, asset }: ProviderPayment): string | undefined {
  if (reference === "") return "a payment has no reference";
  if (type === "UNKNOWN") return `the payment ${reference} has an unknown type`;
  return isProviderAsset(asset)
    ? undefined
    : `the payment ${reference} has the asset ${asset}, which is not valid`;
}
