import { z } from "zod";
import { amountOf, Funds, type MangopayClient } from "./client.ts";
import type { FetchRequest, PaymentPage } from "#modules/payments/connectors/contract.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import {
  OptionalText,
  parseObject,
  Text,
  UnixSeconds,
} from "#modules/payments/connectors/kit/objects.ts";
import { requireAccount } from "#modules/payments/connectors/kit/pages.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeList, type Listed } from "#modules/payments/connectors/kit/time-list.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { fromMicros, type Timestamp, toMicros, toMillis } from "#platform/time.ts";

/** The types of transactions; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, PaymentType>> = {
  PAYIN: "PAY-IN",
  PAYOUT: "PAYOUT",
  TRANSFER: "TRANSFER",
};

/** The statuses of transactions; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  CREATED: "PENDING",
  SUCCEEDED: "SUCCEEDED",
  FAILED: "FAILED",
};

/** The statuses of refunds. One that has neither succeeded nor failed changes nothing yet. */
export const REFUND_STATUSES: Readonly<Record<string, PaymentStatus>> = {
  SUCCEEDED: "REFUNDED",
  FAILED: "REFUNDED_FAILURE",
};

const OptionalFunds = Funds.nullish();

const Transaction = z.object({
  Id: Text,
  Type: OptionalText,
  Nature: OptionalText,
  Status: Text,
  CreationDate: UnixSeconds,
  ExecutionDate: UnixSeconds.nullish(),
  DebitedFunds: OptionalFunds,
  CreditedFunds: OptionalFunds,
  DebitedWalletId: OptionalText,
  CreditedWalletId: OptionalText,
  BankAccountId: OptionalText,
  InitialTransactionId: OptionalText,
  InitialTransactionType: OptionalText,
  /** The reference of a movement that was made here. */
  Tag: OptionalText,
});
type Transaction = z.output<typeof Transaction>;

/** The transactions of a wallet. */
export function fetchPayments(client: MangopayClient, request: FetchRequest): Promise<PaymentPage> {
  const { reference } = requireAccount(request.parent, "payments");
  return fetchTimeList(request, {
    readPage: async ({ from, ...place }) => {
      // The provider gives what is later than a second.
      const AfterDate = from === undefined ? undefined : Math.floor(toMillis(from) / 1000) - 1;
      const path = `/wallets/${encodeURIComponent(reference)}/transactions`;
      return withRefunds(client, await client.list(path, { ...place, AfterDate }));
    },
    read: toListed,
  });
}

/** The list does not say which transaction a refund is of: refunds are read by themselves. */
async function withRefunds(
  client: MangopayClient,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const read: unknown[] = [];
  for (const value of values) {
    // One that is not valid is set aside when it is read.
    const { data } = Transaction.safeParse(value);
    if (data?.Nature !== "REFUND") read.push(value);
    else read.push(await client.read(`/refunds/${encodeURIComponent(data.Id)}`, "a refund"));
  }
  return read;
}

function toListed(value: unknown): Listed<ProviderPayment> | undefined {
  const { Id, Status, CreationDate } = parseObject(Transaction, value, "a transaction");
  const item = toPayment(value);
  if (item === undefined) return undefined;
  return { item, time: CreationDate, identity: `${Id} ${Status}` };
}

/** A state of a payment; undefined for a refund that goes on, and for another currency, with a line in the log. */
export function toPayment(value: unknown): ProviderPayment | undefined {
  const transaction = parseObject(Transaction, value, "a transaction");
  return transaction.InitialTransactionId === undefined
    ? toRegular(transaction, value)
    : toRefund(transaction, value);
}

function toRegular(transaction: Transaction, value: unknown): ProviderPayment | undefined {
  const { Id, Type, DebitedFunds, DebitedWalletId, CreditedWalletId, BankAccountId } = transaction;
  const { Tag } = transaction;
  // Nothing has come yet where the provider waits for money.
  const amount = DebitedFunds ? amountOf(DebitedFunds, Id) : undefined;
  if (amount === undefined) return undefined;
  const status = rowOf(STATUSES, transaction.Status) ?? "OTHER";
  return {
    reference: Id,
    createdAt: timeOf(transaction, status),
    type: rowOf(TYPES, Type) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status,
    ...endsOf(DebitedWalletId, CreditedWalletId ?? BankAccountId),
    ...(Tag === undefined ? {} : { initiationReference: Tag }),
    metadata: {},
    raw: rawOf(value),
  };
}

/** What comes back goes from the destination of the payment to its source. Fees that come back belong to it. */
function toRefund(transaction: Transaction, value: unknown): ProviderPayment | undefined {
  const { Id, CreditedFunds, DebitedFunds, DebitedWalletId, CreditedWalletId } = transaction;
  const { InitialTransactionId: parent, InitialTransactionType } = transaction;
  const status = rowOf(REFUND_STATUSES, transaction.Status);
  const funds = CreditedFunds ?? DebitedFunds;
  const amount = status !== undefined && funds ? amountOf(funds, Id) : undefined;
  if (status === undefined || amount === undefined) return undefined;
  return {
    reference: Id,
    ...(parent === undefined ? {} : { parentReference: parent }),
    createdAt: timeOf(transaction, status),
    type: rowOf(TYPES, InitialTransactionType) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status,
    ...endsOf(CreditedWalletId, DebitedWalletId),
    metadata: {},
    raw: rawOf(value),
  };
}

const endsOf = (
  source: string | undefined,
  destination: string | undefined,
): Pick<ProviderPayment, "sourceReference" | "destinationReference"> => ({
  ...(source === undefined ? {} : { sourceReference: source }),
  ...(destination === undefined ? {} : { destinationReference: destination }),
});

/** A state at the end is later than the one before, even where the provider does not say when it was reached. */
function timeOf({ CreationDate, ExecutionDate }: Transaction, status: PaymentStatus): Timestamp {
  if (status === "PENDING") return CreationDate;
  return fromMicros(toMicros(ExecutionDate ?? CreationDate) + 1n);
}
