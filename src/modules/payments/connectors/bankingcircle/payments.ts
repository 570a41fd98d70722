import { z } from "zod";
import { CURRENCIES } from "./accounts.ts";
import type { BankingCircleClient } from "./client.ts";
import type { FetchRequest, PaymentPage } from "#modules/payments/connectors/contract.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import {
  Date3339,
  DecimalText,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTimeList, secondOf } from "#modules/payments/connectors/kit/time-list.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus, PaymentType } from "#modules/payments/core/enums.ts";
import { log } from "#platform/log.ts";
import type { Timestamp } from "#platform/time.ts";

export const PAYMENTS_PATH = "/api/v1/payments/singles";

/** The classifications of payments; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, PaymentType>> = {
  Incoming: "PAY-IN",
  Outgoing: "PAYOUT",
  Own: "TRANSFER",
};

/** The statuses of payments; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  Processed: "SUCCEEDED",
  PendingProcessing: "PENDING",
  MissingFunding: "PENDING",
  Rejected: "FAILED",
  Cancelled: "FAILED",
  Reversed: "FAILED",
  Returned: "FAILED",
};

const Side = z.object({ accountId: OptionalText }).nullish();

const Payment = z.object({
  paymentId: Text,
  classification: OptionalText,
  status: OptionalText,
  latestStatusChangedTimestamp: Date3339,
  transfer: z.object({ amount: z.object({ currency: Text, amount: DecimalText }) }),
  debtorInformation: Side,
  creditorInformation: Side,
});

/** The payments of all accounts. The list is read whole, and what has changed since the last run is kept. */
export function fetchPayments(
  client: BankingCircleClient,
  request: FetchRequest,
): Promise<PaymentPage> {
  let since: Timestamp | undefined;
  return fetchTimeList(request, {
    readPage: ({ from, ...place }) => {
      since = from;
      return client.list(PAYMENTS_PATH, place);
    },
    read: (value) => {
      const payment = parseObject(Payment, value, "a payment");
      const { paymentId, status, latestStatusChangedTimestamp: time } = payment;
      if (since !== undefined && time < secondOf(since)) return undefined;
      const item = toPayment(value);
      return item === undefined ? undefined : { item, time, identity: `${paymentId} ${status}` };
    },
  });
}

/** A payment as it is since its status has changed; undefined for a currency that is not known, with a line in the log. */
export function toPayment(value: unknown): ProviderPayment | undefined {
  const payment = parseObject(Payment, value, "a payment");
  const { paymentId: id, transfer, debtorInformation, creditorInformation } = payment;
  const { currency, amount: decimal } = transfer.amount;
  const amount = CURRENCIES.fromDecimal(decimal, currency);
  if (amount === undefined) {
    const why = "a payment in a currency that is not known is left out";
    log("info", why, { provider: "bankingcircle", id, currency });
    return undefined;
  }
  const [source, destination] = [debtorInformation?.accountId, creditorInformation?.accountId];
  return {
    reference: id,
    createdAt: payment.latestStatusChangedTimestamp,
    type: rowOf(TYPES, payment.classification) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status: rowOf(STATUSES, payment.status) ?? "OTHER",
    ...(source === undefined ? {} : { sourceReference: source }),
    ...(destination === undefined ? {} : { destinationReference: destination }),
    metadata: {},
    raw: rawOf(value),
  };
}
