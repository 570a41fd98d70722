import { z } from "zod";
import { CURRENCIES, type ModulrClient, ModulrTime } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";

/** The statuses of payments; all others are `UNKNOWN`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  SUBMITTED: "PENDING",
  VALIDATED: "PENDING",
  PENDING_FOR_DATE: "PENDING",
  PENDING_FOR_FUNDS: "PENDING",
  ER_EXTCONN: "PENDING",
  PROCESSED: "SUCCEEDED",
  CANCELLED: "CANCELLED",
  ER_EXPIRED: "EXPIRED",
  ER_INVALID: "FAILED",
  ER_EXTSYS: "FAILED",
  ER_GENERAL: "FAILED",
};

export const statusOf = (status: string): kit.PaymentStatus =>
  kit.rowOf(STATUSES, status) ?? "UNKNOWN";

/** Whether a payment with a status may still change. */
export const isOpen = (status: kit.PaymentStatus): boolean =>
  ["PENDING", "UNKNOWN"].includes(status);

export const ModulrOrder = z.object({
  id: kit.Text,
  status: z.string(),
  createdDate: ModulrTime,
  externalReference: kit.OptionalText,
  details: z.object({
    sourceAccountId: kit.Text,
    destination: z.object({ type: z.string(), id: kit.Text.nullish() }),
    amount: kit.DecimalText,
    currency: kit.Text,
  }),
});
export type ModulrOrder = z.output<typeof ModulrOrder>;

export const readOrder = (value: unknown): ModulrOrder =>
  kit.parseObject(ModulrOrder, value, "a payment");

/** The payment of an order; undefined for an unsupported currency. */
export function toOrdered(order: ModulrOrder, value: unknown): kit.ProviderPayment | undefined {
  const { sourceAccountId, destination, amount: decimal, currency } = order.details;
  const amount = CURRENCIES.fromDecimal(decimal, currency);
  if (amount === undefined) return undefined;
  const { id } = destination;
  return {
    reference: order.id,
    createdAt: order.createdDate,
    type: destination.type === "ACCOUNT" ? "TRANSFER" : "PAYOUT",
    ...amount,
    scheme: "OTHER",
    status: statusOf(order.status),
    sourceReference: sourceAccountId,
    ...(id === undefined || id === null ? {} : { destinationReference: id }),
    ...initiationOf(order),
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/** The reference that a payment was created with, if it has one. */
export const initiationOf = ({
  externalReference: initiationReference,
}: Pick<ModulrOrder, "externalReference">): Pick<kit.ProviderPayment, "initiationReference"> =>
  kit.given({ initiationReference });

/** The payment of an order that has ended; undefined for an open order. Its time is now, because the provider gives no time of the end. */
export async function endOfPayment(
  { client, clock }: kit.ClientWith<ModulrClient, "clock">,
  id: string,
): Promise<kit.ProviderPayment | "gone" | undefined> {
  const value = await client.findPayment(id);
  if (value === undefined) return "gone";
  const payment = toOrdered(readOrder(value), value);
  if (payment === undefined) return "gone";
  return isOpen(payment.status) ? undefined : { ...payment, createdAt: clock() };
}
