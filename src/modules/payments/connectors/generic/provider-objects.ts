import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** Conversions of a generic provider's objects to those of the module. */

const Account = z.object({
  id: kit.Text,
  accountName: kit.OptionalText,
  createdAt: kit.Date3339,
  metadata: kit.Metadata,
});
const Beneficiary = z.object({
  id: kit.Text,
  ownerName: kit.OptionalText,
  createdAt: kit.Date3339,
  metadata: kit.Metadata,
});

export function toAccount(value: unknown): kit.Listed<kit.ProviderAccount> {
  const { accountName: name, ...account } = kit.parseObject(Account, value, "an account");
  return toListedAccount({ ...account, name }, value);
}

export function toExternalAccount(value: unknown): kit.Listed<kit.ProviderAccount> {
  const { ownerName: name, ...account } = kit.parseObject(Beneficiary, value, "a beneficiary");
  return toListedAccount({ ...account, name }, value);
}

function toListedAccount(
  account: {
    id: string;
    name: string | undefined;
    createdAt: Timestamp;
    metadata: Record<string, string>;
  },
  value: unknown,
): kit.Listed<kit.ProviderAccount> {
  const { id: reference, name, createdAt, metadata } = account;
  const raw = stringifyJson(value);
  const item = { reference, createdAt, metadata, raw, ...kit.given({ name }) };
  return { item, time: createdAt, identity: reference };
}

const Balances = z.object({
  accountID: kit.Text,
  at: kit.Date3339,
  balances: z.array(z.object({ currency: kit.Text, amount: kit.Amount })),
});

export function toBalances(value: unknown): kit.ProviderBalance[] {
  const { accountID, at, balances } = kit.parseObject(Balances, value, "the balances");
  return balances.map(({ currency: asset, amount }) => ({
    accountReference: accountID,
    createdAt: at,
    asset,
    amount,
  }));
}

const Transaction = z.object({
  id: kit.Text,
  relatedTransactionID: kit.OptionalText,
  createdAt: kit.Date3339,
  updatedAt: kit.Date3339,
  currency: kit.Text,
  type: z.string().nullish(),
  status: z.string().nullish(),
  amount: kit.Amount,
  sourceAccountID: kit.OptionalText,
  destinationAccountID: kit.OptionalText,
  metadata: kit.Metadata,
});

/** The types of transactions; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, kit.PaymentType>> = {
  PAYIN: "PAY-IN",
  PAYOUT: "PAYOUT",
  TRANSFER: "TRANSFER",
};

/** The statuses of transactions and movements; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  PENDING: "PENDING",
  SUCCEEDED: "SUCCEEDED",
  FAILED: "FAILED",
  CANCELLED: "CANCELLED",
  EXPIRED: "EXPIRED",
  REFUNDED: "REFUNDED",
  REFUNDED_FAILURE: "REFUNDED_FAILURE",
  REFUND_REVERSED: "REFUND_REVERSED",
  DISPUTE: "DISPUTE",
  DISPUTE_WON: "DISPUTE_WON",
  DISPUTE_LOST: "DISPUTE_LOST",
  AUTHORISATION: "AUTHORISATION",
  CAPTURE: "CAPTURE",
  CAPTURE_FAILED: "CAPTURE_FAILED",
};

const toStatus = (text: string | null | undefined): kit.PaymentStatus =>
  kit.rowOf(STATUSES, text) ?? "OTHER";

export function toPayment(value: unknown): kit.Listed<kit.ProviderPayment> {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  const { id, relatedTransactionID, updatedAt, createdAt, currency, amount } = transaction;
  const { sourceAccountID, destinationAccountID, metadata } = transaction;
  const status = toStatus(transaction.status);
  const item: kit.ProviderPayment = {
    reference: id,
    // The related transaction of a movement of this connector is its idempotency key.
    ...kit.given({
      parentReference: relatedTransactionID,
      initiationReference: relatedTransactionID,
    }),
    createdAt,
    type: kit.rowOf(TYPES, transaction.type) ?? "OTHER",
    amount,
    asset: currency,
    scheme: "OTHER",
    status,
    ...kit.given({ sourceReference: sourceAccountID, destinationReference: destinationAccountID }),
    metadata,
    raw: stringifyJson(value),
  };
  return { item, time: updatedAt, identity: `${id} ${status} ${updatedAt}` };
}

const MovementAnswer = z.object({
  id: kit.Text,
  amount: kit.Amount,
  currency: kit.Text,
  sourceAccountId: kit.OptionalText,
  destinationAccountId: kit.OptionalText,
  status: z.string().nullish(),
  createdAt: kit.Date3339,
  metadata: kit.Metadata,
});

/** The payment that a movement has made. The payment has the provider's own id, and the reference of the movement as its parent. */
export function toMovementPayment(
  value: unknown,
  { type, reference }: { readonly type: "TRANSFER" | "PAYOUT"; readonly reference: string },
): kit.ProviderPayment {
  const made = kit.parseObject(MovementAnswer, value, "the answer to a movement");
  const { sourceAccountId, destinationAccountId } = made;
  return {
    reference: made.id,
    parentReference: reference,
    createdAt: made.createdAt,
    type,
    amount: made.amount,
    asset: made.currency,
    scheme: "OTHER",
    status: toStatus(made.status),
    ...kit.given({ sourceReference: sourceAccountId, destinationReference: destinationAccountId }),
    metadata: made.metadata,
    raw: stringifyJson(value),
  };
}
