import { z } from "zod";
import { CURRENCIES, type ModulrClient, ModulrTime } from "./client.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import {
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import type { Clock } from "#platform/time.ts";

/** The statuses of payments; all others are `UNKNOWN`. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {
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

export const statusOf = (status: string): PaymentStatus => rowOf(STATUSES, status) ?? "UNKNOWN";

/** What a payment goes on from. */
export const isOpen = (status: PaymentStatus): boolean => ["PENDING", "UNKNOWN"].includes(status);

export const ModulrOrder = z.object({
  id: Text,
  status: z.string(),
  createdDate: ModulrTime,
  externalReference: OptionalText,
  details: z.object({
    sourceAccountId: Text,
    destination: z.object({ type: z.string(), id: Text.nullish() }),
    amount: DecimalText,
    currency: Text,
  }),
});
export type ModulrOrder = z.output<typeof ModulrOrder>;

export const readOrder = (value: unknown): ModulrOrder =>
  parseObject(ModulrOrder, value, "a payment");

/** The payment that an order is; undefined for a currency that is not known. */
export function toOrdered(order: ModulrOrder, value: unknown): ProviderPayment | undefined {
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
    raw: rawOf(value),
  };
}

/** The reference that was given with a payment, where one was. */
export const initiationOf = ({
  externalReference: initiationReference,
}: Pick<ModulrOrder, "externalReference">): Pick<ProviderPayment, "initiationReference"> =>
  initiationReference === undefined ? {} : { initiationReference };

/** How a payment has ended; undefined where it goes on. The provider does not say when: it is as of now. */
export async function endOfPayment(
  { client, clock }: { readonly client: ModulrClient; readonly clock: Clock },
  id: string,
): Promise<ProviderPayment | "gone" | undefined> {
  const value = await client.findPayment(id);
  if (value === undefined) return "gone";
  const payment = toOrdered(readOrder(value), value);
  if (payment === undefined) return "gone";
  return isOpen(payment.status) ? undefined : { ...payment, createdAt: clock() };
}
