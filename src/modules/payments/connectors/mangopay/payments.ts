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

/** The statuses of refunds that have ended. A refund with any other status changes nothing yet. */
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
  /** The reference of the movement, if this connector created the transaction. */
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
      // The filter is exclusive: the provider gives transactions that are later than a second.
      const AfterDate = from === undefined ? undefined : Math.floor(toMillis(from) / 1000) - 1;
      const path = `/wallets/${encodeURIComponent(reference)}/transactions`;
      return withRefunds(client, await client.list(path, { ...place, AfterDate }));
    },
    read: toListed,
  });
}

/** Replaces the refunds of a page by the refund objects, because only these contain the refunded transaction. */
async function withRefunds(
  client: MangopayClient,
  values: readonly unknown[],
): Promise<readonly unknown[]> {
  const read: unknown[] = [];
  for (const value of values) {
    // An invalid value is set aside later, when it becomes a payment.
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

/** The state of a payment that a transaction reports; undefined for a pending refund; undefined and logged for an unsupported currency. */
export function toPayment(value: unknown): kit.ProviderPayment | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  return transaction.InitialTransactionId === undefined
    ? toRegular(transaction, value)
    : toRefund(transaction, value);
}

function toRegular(transaction: Transaction, value: unknown): kit.ProviderPayment | undefined {
  const { Id, Type, DebitedFunds, DebitedWalletId, CreditedWalletId, BankAccountId } = transaction;
  const { Tag } = transaction;
  // There are no funds yet while the provider waits for the money.
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

/** The refund of a payment, with the source and destination of the payment. The amount includes refunded fees. */
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

/** The time of a state. A final state must be later than the pending one, even if the provider gives no time of execution. */
function timeOf(
  { CreationDate, ExecutionDate }: Transaction,
  status: kit.PaymentStatus,
): Timestamp {
  if (status === "PENDING") return CreationDate;
  return fromMicros(toMicros(ExecutionDate ?? CreationDate) + 1n);
}
