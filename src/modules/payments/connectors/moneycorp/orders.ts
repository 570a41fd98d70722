import { z } from "zod";
import {
  accountPath,
  CURRENCIES,
  type MoneycorpClient,
  MoneycorpTime,
  type MoneycorpResource,
} from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The statuses of transfers; all others are `UNKNOWN`. */
export const TRANSFER_STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  "Awaiting Dispatch": "PENDING",
  Cleared: "SUCCEEDED",
  Cancelled: "FAILED",
};

/** The statuses of payments to recipients; all others are `UNKNOWN`. */
export const PAYMENT_STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  Unauthorised: "FAILED",
  Failed: "FAILED",
  Query: "FAILED",
  Cancelled: "FAILED",
  "Awaiting Dispatch": "PENDING",
  Sent: "PENDING",
  Cleared: "SUCCEEDED",
};

/** What a movement goes on from. */
export const isOpen = (status: kit.PaymentStatus): boolean =>
  ["PENDING", "UNKNOWN"].includes(status);

/** What is ordered, by its path below an account. */
export type OrderKind = "transfers" | "payments";

const Transfer = z.object({
  sendingAccountId: kit.Id,
  receivingAccountId: kit.Id,
  createdAt: MoneycorpTime,
  transferAmount: kit.DecimalText,
  transferCurrency: kit.Text,
  transferStatus: z.string(),
  clientReference: kit.OptionalText,
});

const Payment = z.object({
  accountId: kit.Id,
  createdAt: MoneycorpTime,
  paymentAmount: kit.DecimalText,
  paymentCurrency: kit.Text,
  paymentStatus: z.string(),
  clientReference: kit.OptionalText,
  recipientDetails: z.object({ recipientId: kit.Id }).nullish(),
});

/** The payment that an order is; undefined for a currency that is not known. */
export const toOrdered = (
  kind: OrderKind,
  value: MoneycorpResource,
): kit.ProviderPayment | undefined => (kind === "transfers" ? toTransfer(value) : toPaid(value));

function toTransfer(value: MoneycorpResource): kit.ProviderPayment | undefined {
  const transfer = kit.parseObject(Transfer, value.attributes, "a transfer");
  const amount = CURRENCIES.fromDecimal(transfer.transferAmount, transfer.transferCurrency);
  if (amount === undefined) return undefined;
  return {
    reference: value.id,
    createdAt: transfer.createdAt,
    type: "TRANSFER",
    ...amount,
    scheme: "OTHER",
    status: kit.rowOf(TRANSFER_STATUSES, transfer.transferStatus) ?? "UNKNOWN",
    sourceReference: transfer.sendingAccountId,
    destinationReference: transfer.receivingAccountId,
    ...initiationOf(transfer),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

function toPaid(value: MoneycorpResource): kit.ProviderPayment | undefined {
  const payment = kit.parseObject(Payment, value.attributes, "a payment");
  const amount = CURRENCIES.fromDecimal(payment.paymentAmount, payment.paymentCurrency);
  if (amount === undefined) return undefined;
  const recipient = payment.recipientDetails?.recipientId;
  return {
    reference: value.id,
    createdAt: payment.createdAt,
    type: "PAYOUT",
    ...amount,
    scheme: "OTHER",
    status: kit.rowOf(PAYMENT_STATUSES, payment.paymentStatus) ?? "UNKNOWN",
    sourceReference: payment.accountId,
    ...kit.given({ destinationReference: recipient }),
    ...initiationOf(payment),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/** The reference that was given with an order, where one was. */
const initiationOf = ({
  clientReference: initiationReference,
}: {
  readonly clientReference: string | undefined;
}): Pick<kit.ProviderPayment, "initiationReference"> =>
  initiationReference === undefined ? {} : { initiationReference };

/** How an order has ended; undefined where it goes on. The provider does not say when: it is as of now. */
export async function endOfOrder(
  { client, clock }: kit.ClientWith<MoneycorpClient, "clock">,
  account: string,
  order: string,
): Promise<kit.ProviderPayment | "gone" | undefined> {
  const value = await client.find(`${accountPath(account)}/${order}`);
  const kind = order.startsWith("transfers/") ? "transfers" : "payments";
  const payment = value === undefined ? undefined : toOrdered(kind, value);
  if (payment === undefined) return "gone";
  return isOpen(payment.status) ? undefined : { ...payment, createdAt: clock() };
}

/** What an order is remembered by. */
export const orderPath = (kind: OrderKind, id: string): string =>
  `${kind}/${encodeURIComponent(id)}`;
