import { z } from "zod";
import { amountOf, Funds, type MangopayClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { fromMicros, type Timestamp, toMicros, toMillis } from "#platform/time.ts";

/** The types of transactions; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, kit.PaymentType>> = {
  PAYIN: "PAY-IN",
  PAYOUT: "PAYOUT",
  TRANSFER: "TRANSFER",
};

/** The statuses of transactions; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  CREATED: "PENDING",
  SUCCEEDED: "SUCCEEDED",
  FAILED: "FAILED",
};

/** The statuses of refunds. One that has neither succeeded nor failed changes nothing yet. */
export const REFUND_STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  SUCCEEDED: "REFUNDED",
  FAILED: "REFUNDED_FAILURE",
};

const OptionalFunds = Funds.nullish();

const Transaction = z.object({
  Id: kit.Text,
  Type: kit.OptionalText,
  Nature: kit.OptionalText,
  Status: kit.Text,
  CreationDate: kit.UnixSeconds,
  ExecutionDate: kit.UnixSeconds.nullish(),
  DebitedFunds: OptionalFunds,
  CreditedFunds: OptionalFunds,
  DebitedWalletId: kit.OptionalText,
  CreditedWalletId: kit.OptionalText,
  BankAccountId: kit.OptionalText,
  InitialTransactionId: kit.OptionalText,
  InitialTransactionType: kit.OptionalText,
  /** The reference of a movement that was made here. */
  Tag: kit.OptionalText,
});
type Transaction = z.output<typeof Transaction>;

/** The transactions of a wallet. */
export function fetchPayments(
  client: MangopayClient,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  const { reference } = kit.requireAccount(request.parent, "payments");
  return kit.fetchTimeList(request, {
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

function toListed(value: unknown): kit.Listed<kit.ProviderPayment> | undefined {
  const { Id, Status, CreationDate } = kit.parseObject(Transaction, value, "a transaction");
  const item = toPayment(value);
  if (item === undefined) return undefined;
  return { item, time: CreationDate, identity: `${Id} ${Status}` };
}

/** A state of a payment; undefined for a refund that goes on, and for another currency, with a line in the log. */
export function toPayment(value: unknown): kit.ProviderPayment | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  return transaction.InitialTransactionId === undefined
    ? toRegular(transaction, value)
    : toRefund(transaction, value);
}

function toRegular(transaction: Transaction, value: unknown): kit.ProviderPayment | undefined {
  const { Id, Type, DebitedFunds, DebitedWalletId, CreditedWalletId, BankAccountId } = transaction;
  const { Tag } = transaction;
  // Nothing has come yet where the provider waits for money.
  const amount = DebitedFunds ? amountOf(DebitedFunds, Id) : undefined;
  if (amount === undefined) return undefined;
  const status = kit.rowOf(STATUSES, transaction.Status) ?? "OTHER";
  return {
    reference: Id,
    createdAt: timeOf(transaction, status),
    type: kit.rowOf(TYPES, Type) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status,
    ...endsOf(DebitedWalletId, CreditedWalletId ?? BankAccountId),
    ...kit.given({ initiationReference: Tag }),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/** What comes back goes from the destination of the payment to its source. Fees that come back belong to it. */
function toRefund(transaction: Transaction, value: unknown): kit.ProviderPayment | undefined {
  const { Id, CreditedFunds, DebitedFunds, DebitedWalletId, CreditedWalletId } = transaction;
  const { InitialTransactionId: parent, InitialTransactionType } = transaction;
  const status = kit.rowOf(REFUND_STATUSES, transaction.Status);
  const funds = CreditedFunds ?? DebitedFunds;
  const amount = status !== undefined && funds ? amountOf(funds, Id) : undefined;
  if (status === undefined || amount === undefined) return undefined;
  return {
    reference: Id,
    ...kit.given({ parentReference: parent }),
    createdAt: timeOf(transaction, status),
    type: kit.rowOf(TYPES, InitialTransactionType) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status,
    ...endsOf(CreditedWalletId, DebitedWalletId),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

const endsOf = (
  source: string | undefined,
  destination: string | undefined,
): Pick<kit.ProviderPayment, "sourceReference" | "destinationReference"> => ({
  ...kit.given({ sourceReference: source, destinationReference: destination }),
});

/** A state at the end is later than the one before, even where the provider does not say when it was reached. */
function timeOf(
  { CreationDate, ExecutionDate }: Transaction,
  status: kit.PaymentStatus,
): Timestamp {
  if (status === "PENDING") return CreationDate;
  return fromMicros(toMicros(ExecutionDate ?? CreationDate) + 1n);
}
