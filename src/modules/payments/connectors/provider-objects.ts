import { isProviderAsset } from "#modules/payments/core/assets.ts";
import type { PaymentScheme, PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import type { Timestamp } from "#platform/time.ts";

/** The objects of a provider in the form that all plugins return. References are the provider's own ids. */

interface ProviderObject {
  readonly createdAt: Timestamp;
  /** The user of open banking who owns the object. */
  readonly psuId?: string;
  readonly connectionId?: string;
}

export interface ProviderAccount extends ProviderObject {
  readonly reference: string;
  readonly name?: string;
  readonly defaultAsset?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The object as the provider has sent it, as JSON text. */
  readonly raw: string;
}

export interface ProviderBalance extends ProviderObject {
  readonly accountReference: string;
  readonly amount: bigint;
  readonly asset: string;
}

/** One state of a payment. */
export interface ProviderPayment extends ProviderObject {
  /** The provider's id of the state. Without a parent, the state is the first one, and the payment has the same id. */
  readonly reference: string;
  /** The payment of which this object is a later state, such as the charge of a refund. */
  readonly parentReference?: string;
  readonly type: PaymentType;
  readonly amount: bigint;
  readonly asset: string;
  readonly scheme: PaymentScheme;
  readonly status: PaymentStatus;
  readonly sourceReference?: string;
  readonly destinationReference?: string;
  /** The reference of the movement or reversal that has made the payment, if the provider shows the reference. */
  readonly initiationReference?: string;
  readonly metadata: Readonly<Record<string, string>>;
  /** The object as the provider has sent it, as JSON text. */
  readonly raw: string;
}

/** An object of a provider that cannot be stored. */
export interface RejectedItem {
  readonly id: string;
  /** The object as JSON text, without secrets and without numbers of cards and bank accounts. */
  readonly raw: string;
  readonly reason: string;
}

/** What is wrong with an account of a provider; undefined for a valid account. A page with an invalid account is not stored. */
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
