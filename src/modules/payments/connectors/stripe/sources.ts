import { z } from "zod";
import { Reference } from "./objects.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The sources of balance transactions: the objects that move money at Stripe. */

export const CARD_SCHEMES: Readonly<Record<string, kit.PaymentScheme>> = {
  visa: "CARD_VISA",
  mastercard: "CARD_MASTERCARD",
  amex: "CARD_AMEX",
  diners: "CARD_DINERS",
  discover: "CARD_DISCOVER",
  jcb: "CARD_JCB",
  unionpay: "CARD_UNION_PAY",
};

export const PAYOUT_STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  canceled: "CANCELLED",
  failed: "FAILED",
  in_transit: "PENDING",
  pending: "PENDING",
  paid: "SUCCEEDED",
};

/** The statuses of closed disputes; a dispute with any other status is open. */
export const DISPUTE_STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  won: "SUCCEEDED",
  lost: "FAILED",
};

export const cardScheme = (brand: string | null | undefined): kit.PaymentScheme =>
  kit.rowOf(CARD_SCHEMES, brand) ?? "UNKNOWN";

const PaymentIntent = z
  .union([kit.Text.transform(() => ({ metadata: {} })), z.object({ metadata: kit.Metadata })])
  .nullish()
  .transform((intent) => intent?.metadata ?? {});

const Charge = z.object({
  amount: kit.Amount,
  currency: kit.Text,
  balance_transaction: Reference,
  metadata: kit.Metadata,
  payment_intent: PaymentIntent,
  payment_method_details: z
    .object({ card: z.object({ brand: z.string().nullish() }).nullish() })
    .nullish(),
});

/** The facts about a charge. */
export interface Paid {
  readonly amount: bigint;
  readonly currency: string;
  readonly transaction: string | undefined;
  readonly scheme: kit.PaymentScheme;
  readonly metadata: Readonly<Record<string, string>>;
}

export function readCharge(value: unknown): Paid {
  const charge = kit.parseObject(Charge, value, "a charge");
  return {
    amount: charge.amount,
    currency: charge.currency,
    transaction: charge.balance_transaction,
    scheme: cardScheme(charge.payment_method_details?.card?.brand),
    metadata: { ...charge.metadata, ...charge.payment_intent },
  };
}

const Refund = z.object({
  amount: kit.Amount,
  currency: kit.Text,
  charge: z.unknown(),
  metadata: kit.Metadata,
  payment_intent: PaymentIntent,
});

/** A refund, and the charge that it belongs to. The charge is undefined for a refund of a customer's balance. */
export function readRefund(value: unknown) {
  const { charge, ...refund } = kit.parseObject(Refund, value, "a refund");
  return { ...refund, charge: readExpandedCharge(charge, "a refund") };
}

const Dispute = z.object({
  status: z.string(),
  charge: z.unknown(),
  payment_intent: PaymentIntent,
});

export function readDispute(value: unknown) {
  const { status, charge, payment_intent: intent } = kit.parseObject(Dispute, value, "a dispute");
  const paid = readExpandedCharge(charge, "a dispute");
  if (paid === undefined) throw kit.refused("a dispute has no charge");
  return {
    status: kit.rowOf(DISPUTE_STATUSES, status) ?? ("DISPUTE" as const),
    charge: { ...paid, metadata: { ...paid.metadata, ...intent } },
  };
}

/**
 * The charge of an object, which the request has expanded. Throws `ConnectorError` for a charge that is not expanded, because the payment
 * of the object is not known without it.
 */
function readExpandedCharge(value: unknown, what: string): Paid | undefined {
  if (value === null || value === undefined) return undefined;
  if (typeof value === "object") return readCharge(value);
  throw kit.outcomeUnknown(`${what} of the provider comes without its charge`);
}

const Payout = z.object({
  id: kit.Text,
  amount: kit.Amount,
  currency: kit.Text,
  status: z.string(),
  type: z.string().nullish(),
  balance_transaction: Reference,
  destination: z
    .union([
      kit.Text.transform(() => ({ brand: undefined })),
      z.object({ brand: z.string().nullish() }),
    ])
    .nullish(),
  metadata: kit.Metadata,
});

export function readPayout(value: unknown) {
  const { status, type, destination, balance_transaction, ...payout } = kit.parseObject(
    Payout,
    value,
    "a payout",
  );
  const scheme: kit.PaymentScheme =
    type === "bank_account"
      ? "SEPA_CREDIT"
      : type === "card"
        ? cardScheme(destination?.brand)
        : "UNKNOWN";
  return {
    ...payout,
    scheme,
    transaction: balance_transaction,
    /** The status; undefined for an unknown one. */
    status: kit.rowOf(PAYOUT_STATUSES, status),
  };
}

const Transfer = z.object({
  id: kit.Text,
  amount: kit.Amount,
  currency: kit.Text,
  destination: Reference,
  balance_transaction: Reference,
  metadata: kit.Metadata,
});

/** A transfer. The value may be the reversal of a transfer, which contains the transfer. */
export function readTransfer(value: unknown) {
  const { data } = Reversal.safeParse(value);
  const { balance_transaction: transaction, ...transfer } = kit.parseObject(
    Transfer,
    data === undefined ? value : data.transfer,
    "a transfer",
  );
  return { ...transfer, transaction };
}

const Reversal = z.object({ object: z.literal("transfer_reversal"), transfer: z.unknown() });
