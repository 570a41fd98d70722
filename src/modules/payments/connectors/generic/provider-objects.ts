import { z } from "zod";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import {
  Amount,
  Date3339,
  Metadata,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import type { Listed } from "#modules/payments/connectors/kit/time-list.ts";
import type {
  ProviderAccount,
  ProviderBalance,
  ProviderPayment,
} from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { stringifyJson } from "#platform/json.ts";
import type { Timestamp } from "#platform/time.ts";

/** What a generic provider sends, in the form of the module. */

const Account = z.object({
  id: Text,
  accountName: OptionalText,
  createdAt: Date3339,
  metadata: Metadata,
});
const Beneficiary = z.object({
  id: Text,
  ownerName: OptionalText,
  createdAt: Date3339,
  metadata: Metadata,
});

export function toAccount(value: unknown): Listed<ProviderAccount> {
  const { accountName: name, ...account } = parseObject(Account, value, "an account");
  return toListedAccount({ ...account, name }, value);
}

export function toExternalAccount(value: unknown): Listed<ProviderAccount> {
  const { ownerName: name, ...account } = parseObject(Beneficiary, value, "a beneficiary");
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
): Listed<ProviderAccount> {
  const { id: reference, name, createdAt, metadata } = account;
  const raw = stringifyJson(value);
  const item = { reference, createdAt, metadata, raw, ...(name === undefined ? {} : { name }) };
  return { item, time: createdAt, identity: reference };
}

const Balances = z.object({
  accountID: Text,
  at: Date3339,
  balances: z.array(z.object({ currency: Text, amount: Amount })),
});

export function toBalances(value: unknown): ProviderBalance[] {
  const { accountID, at, balances } = parseObject(Balances, value, "the balances");
  return balances.map(({ currency: asset, amount }) => ({
    accountReference: accountID,
    createdAt: at,
    asset,
    amount,
  }));
}

const Transaction = z.object({
  id: Text,
  relatedTransactionID: OptionalText,
  createdAt: Date3339,
  updatedAt: Date3339,
  currency: Text,
  type: z.string().nullish(),
  status: z.string().nullish(),
  amount: Amount,
  sourceAccountID: OptionalText,
  destinationAccountID: OptionalText,
  metadata: Metadata,
});

/** The types of transactions; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, PaymentType>> = {
  PAYIN: "PAY-IN",
  PAYOUT: "PAYOUT",
  TRANSFER: "TRANSFER",
};

/** The statuses of transactions and movements; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {
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

const toStatus = (text: string | null | undefined): PaymentStatus =>
  rowOf(STATUSES, text) ?? "OTHER";

export function toPayment(value: unknown): Listed<ProviderPayment> {
  const transaction = parseObject(Transaction, value, "a transaction");
  const { id, relatedTransactionID, updatedAt, createdAt, currency, amount } = transaction;
  const { sourceAccountID, destinationAccountID, metadata } = transaction;
  const status = toStatus(transaction.status);
  const item: ProviderPayment = {
    reference: id,
    // Of a movement that was asked for here, it is the key of that.
    ...(relatedTransactionID === undefined
      ? {}
      : { parentReference: relatedTransactionID, initiationReference: relatedTransactionID }),
    createdAt,
    type: rowOf(TYPES, transaction.type) ?? "OTHER",
    amount,
    asset: currency,
    scheme: "OTHER",
    status,
    ...(sourceAccountID === undefined ? {} : { sourceReference: sourceAccountID }),
    ...(destinationAccountID === undefined ? {} : { destinationReference: destinationAccountID }),
    metadata,
    raw: stringifyJson(value),
  };
  return { item, time: updatedAt, identity: `${id} ${status} ${updatedAt}` };
}

const MovementAnswer = z.object({
  id: Text,
  amount: Amount,
  currency: Text,
  sourceAccountId: OptionalText,
  destinationAccountId: OptionalText,
  status: z.string().nullish(),
  createdAt: Date3339,
  metadata: Metadata,
});

/** The payment that a movement has made. It belongs to the movement's reference, under the provider's own id. */
export function toMovementPayment(
  value: unknown,
  { type, reference }: { readonly type: "TRANSFER" | "PAYOUT"; readonly reference: string },
): ProviderPayment {
  const made = parseObject(MovementAnswer, value, "the answer to a movement");
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
    ...(sourceAccountId === undefined ? {} : { sourceReference: sourceAccountId }),
    ...(destinationAccountId === undefined ? {} : { destinationReference: destinationAccountId }),
    metadata: made.metadata,
    raw: stringifyJson(value),
  };
}
