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

/** Whether an order with a status may still change. */
export const isOpen = (status: kit.PaymentStatus): boolean =>
  ["PENDING", "UNKNOWN"].includes(status);

/** The kinds of orders, by their paths below an account. */
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

/** The payment of an order; undefined for an unsupported currency. */
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

/** The reference that an order was created with, if it has one. */
const initiationOf = ({
  clientReference: initiationReference,
}: {
  readonly clientReference: string | undefined;
}): Pick<kit.ProviderPayment, "initiationReference"> => kit.given({ initiationReference });

/** The payment of an order that has ended; undefined for an open order. Its time is now, because the provider gives no time of the end. */
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

/** The path of an order below its account, which is also its id among the open movements. */
export const orderPath = (kind: OrderKind, id: string): string =>
  `${kind}/${encodeURIComponent(id)}`;
