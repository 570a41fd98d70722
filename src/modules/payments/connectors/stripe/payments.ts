import { z } from "zod";
import { CURRENCIES, REFERENCE } from "./objects.ts";
import { readCharge, readDispute, readPayout, readRefund, readTransfer } from "./sources.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { log } from "#platform/log.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/** How a balance transaction of one type becomes a state of a payment. */
interface Mapping {
  readonly source: "charge" | "refund" | "payout" | "transfer" | "dispute";
  readonly type: kit.PaymentType;
  /** The status of the payment; `source` stands for the status of the payout or dispute. */
  readonly status: kit.PaymentStatus | "source";
  /** The object whose balance transaction opened the payment; absent if this transaction opens it. */
  readonly parent?: "charge" | "source";
  /** The object that contains the amount: the source, its charge, or the transaction itself. */
  readonly amount: "source" | "charge" | "transaction";
  /** `card` depends on the brand of the charge's card, and `payout` on the destination of the payout. */
  readonly scheme: "card" | "payout" | "OTHER";
  /** The object whose metadata the payment gets, besides that of the payment intent; by default the source. */
  readonly metadata?: "charge";
}

const PAY_IN = { type: "PAY-IN", amount: "source" } as const;
const CARD_REFUND = { ...PAY_IN, source: "refund", parent: "charge", scheme: "card" } as const;
const OTHER_REFUND = {
  ...PAY_IN,
  source: "refund",
  parent: "charge",
  scheme: "OTHER",
  metadata: "charge",
} as const;
const PAYOUT = { source: "payout", type: "PAYOUT", amount: "source", scheme: "payout" } as const;
const TRANSFER = { source: "transfer", type: "TRANSFER", scheme: "OTHER" } as const;

/** The mapped types. All other types are left out: fees, and transfers between balances of one account. */
export const TRANSACTIONS: Readonly<Record<string, Mapping>> = {
  charge: { ...PAY_IN, source: "charge", status: "SUCCEEDED", scheme: "card" },
  refund: { ...CARD_REFUND, status: "REFUNDED" },
  refund_failure: { ...CARD_REFUND, status: "REFUNDED_FAILURE" },
  payment: { ...PAY_IN, source: "charge", status: "SUCCEEDED", scheme: "OTHER" },
  payment_refund: { ...OTHER_REFUND, status: "REFUNDED" },
  payment_failure_refund: { ...OTHER_REFUND, status: "REFUNDED_FAILURE" },
  payout: { ...PAYOUT, status: "source" },
  payout_failure: { ...PAYOUT, status: "FAILED", parent: "source" },
  payout_cancel: { ...PAYOUT, status: "CANCELLED", parent: "source" },
  transfer: { ...TRANSFER, status: "SUCCEEDED", amount: "source" },
  transfer_refund: { ...TRANSFER, status: "REFUNDED", parent: "source", amount: "transaction" },
  transfer_failure: { ...TRANSFER, status: "FAILED", parent: "source", amount: "transaction" },
  transfer_cancel: { ...TRANSFER, status: "CANCELLED", parent: "source", amount: "transaction" },
  adjustment: {
    type: "PAY-IN",
    source: "dispute",
    status: "source",
    parent: "charge",
    amount: "charge",
    scheme: "card",
  },
};

const Transaction = z.object({
  id: kit.Text,
  type: z.string(),
  created: kit.UnixSeconds,
  amount: kit.Amount,
  currency: kit.Text,
  source: z.unknown(),
});
type Transaction = z.output<typeof Transaction>;

/** The facts about a payment that its source contains. */
interface Facts {
  readonly amount: bigint;
  readonly currency: string;
  /** The status that the source gives; undefined if the source gives none, or an unknown one. */
  readonly status?: kit.PaymentStatus | undefined;
  readonly scheme: kit.PaymentScheme;
  /** The balance transaction that opened the payment. */
  readonly opening?: string | undefined;
  readonly destination?: string | undefined;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The state of a payment that a balance transaction of an account, with its source, reports; undefined if it reports none. */
export function toPayment(value: unknown, account: string): kit.ProviderPayment | undefined {
  const transaction = kit.parseObject(Transaction, value, "a balance transaction");
  const mapping = mappingOf(transaction);
  if (mapping === undefined) return undefined;
  const facts = readFacts(transaction, mapping);
  const { type, scheme, parent } = mapping;
  const { opening, metadata } = facts;
  const units = mapping.amount === "transaction" ? magnitude(transaction.amount) : facts.amount;
  const currency = mapping.amount === "transaction" ? transaction.currency : facts.currency;
  const amount = CURRENCIES.fromUnits(units, currency);
  if (amount === undefined) {
    const { id } = transaction;
    log("warn", "a payment is skipped, since its currency is not known", { id, currency });
    return undefined;
  }
  const status = mapping.status === "source" ? (facts.status ?? "OTHER") : mapping.status;
  return {
    reference: transaction.id,
    ...(parent === undefined || opening === undefined ? {} : { parentReference: opening }),
    createdAt:
      mapping.status === "source" ? timeOf(transaction.created, status) : transaction.created,
    type,
    ...amount,
    scheme: scheme === "OTHER" ? "OTHER" : facts.scheme,
    status,
    ...endsOf(type, account, facts),
    ...initiationOf(transaction, mapping),
    metadata,
    raw: kit.rawOf(value),
  };
}

const Marked = z.object({ metadata: kit.Metadata });

/**
 * The reference of the movement that has created the source: a payout, a transfer, or a reversal, each of which has metadata of its own.
 */
function initiationOf(
  { source }: Transaction,
  mapping: Mapping,
): Pick<kit.ProviderPayment, "initiationReference"> {
  if (mapping.source !== "payout" && mapping.source !== "transfer") return {};
  const initiationReference = Marked.safeParse(source).data?.metadata[REFERENCE];
  return initiationReference === undefined ? {} : { initiationReference };
}

/**
 * The mapping of a transaction; undefined for a transaction that is left out. Adjustments count only if they are about a dispute. Only a
 * failed payment may have no source.
 */
function mappingOf({ type, source }: Transaction): Mapping | undefined {
  const mapping = kit.rowOf(TRANSACTIONS, type);
  if (type === "adjustment") return isDispute(source) ? mapping : undefined;
  return hasSource(source) || type === "payment_failure_refund" ? mapping : undefined;
}

const hasSource = (source: unknown): boolean => source !== null && source !== undefined;

const isDispute = (source: unknown): boolean =>
  z.object({ object: z.literal("dispute") }).safeParse(source).success;

function readFacts(transaction: Transaction, mapping: Mapping): Facts {
  const { source } = transaction;
  switch (mapping.source) {
    case "charge":
      return readCharge(source);
    case "refund":
      return hasSource(source) ? readRefundFacts(source, mapping) : unsourced(transaction);
    case "dispute": {
      const { status, charge } = readDispute(source);
      return { ...charge, status, opening: charge.transaction };
    }
    case "payout": {
      const payout = readPayout(source);
      return { ...payout, opening: payout.transaction };
    }
    case "transfer": {
      const transfer = readTransfer(source);
      return { ...transfer, scheme: "OTHER", opening: transfer.transaction };
    }
  }
}

function readRefundFacts(source: unknown, { metadata }: Mapping): Facts {
  const { charge, payment_intent: intent, ...refund } = readRefund(source);
  return {
    ...refund,
    scheme: charge?.scheme ?? "UNKNOWN",
    opening: charge?.transaction,
    metadata: { ...(metadata === "charge" ? charge?.metadata : refund.metadata), ...intent },
  };
}

const unsourced = ({ amount, currency }: Transaction): Facts => ({
  amount: magnitude(amount),
  currency,
  scheme: "OTHER",
  metadata: {},
});

/** The amount of a payment: amounts that leave the balance are negative, and amounts of payments are not. */
const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

function endsOf(
  type: kit.PaymentType,
  account: string,
  { destination }: Facts,
): Pick<kit.ProviderPayment, "sourceReference" | "destinationReference"> {
  if (type === "PAY-IN") return { destinationReference: account };
  if (type === "PAYOUT" || destination === undefined) return { sourceReference: account };
  return { sourceReference: account, destinationReference: destination };
}

/** The order of the states of one transaction. */
const RANKS: Readonly<Partial<Record<kit.PaymentStatus, bigint>>> = {
  SUCCEEDED: 1n,
  FAILED: 2n,
  CANCELLED: 2n,
};

/**
 * The time of a state. All states of a transaction have its time, and the newest state of a payment counts, so that microseconds order
 * them: a state that arrives late, such as the answer to a repeated request, does not supersede the state that has followed it.
 */
export const timeOf = (created: Timestamp, status: kit.PaymentStatus): Timestamp =>
  fromMicros(toMicros(created) + (RANKS[status] ?? 0n));
