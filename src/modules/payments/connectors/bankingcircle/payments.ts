import { z } from "zod";
import { CURRENCIES } from "./accounts.ts";
import type { BankingCircleClient } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { log } from "#platform/log.ts";
import type { Timestamp } from "#platform/time.ts";

export const PAYMENTS_PATH = "/api/v1/payments/singles";

/** The classifications of payments; all others are `OTHER`. */
export const TYPES: Readonly<Record<string, kit.PaymentType>> = {
  Incoming: "PAY-IN",
  Outgoing: "PAYOUT",
  Own: "TRANSFER",
};

/** The statuses of payments; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  Processed: "SUCCEEDED",
  PendingProcessing: "PENDING",
  MissingFunding: "PENDING",
  Rejected: "FAILED",
  Cancelled: "FAILED",
  Reversed: "FAILED",
  Returned: "FAILED",
};

const Side = z.object({ accountId: kit.OptionalText }).nullish();

const Payment = z.object({
  paymentId: kit.Text,
  classification: kit.OptionalText,
  status: kit.OptionalText,
  latestStatusChangedTimestamp: kit.Date3339,
  transfer: z.object({ amount: z.object({ currency: kit.Text, amount: kit.DecimalText }) }),
  debtorInformation: Side,
  creditorInformation: Side,
});

/** The payments of all accounts. Each run reads the whole list, and gives the payments that have changed since the previous run. */
export function fetchPayments(
  client: BankingCircleClient,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> {
  let since: Timestamp | undefined;
  return kit.fetchTimeList(request, {
    readPage: ({ from, ...place }) => {
      since = from;
      return client.list(PAYMENTS_PATH, place);
    },
    read: (value) => {
      const payment = kit.parseObject(Payment, value, "a payment");
      const { paymentId, status, latestStatusChangedTimestamp: time } = payment;
      if (since !== undefined && time < kit.secondOf(since)) return undefined;
      const item = toPayment(value);
      return item === undefined ? undefined : { item, time, identity: `${paymentId} ${status}` };
    },
  });
}

/** The state of a payment, as of the last change of its status; undefined and logged for an unknown currency. */
export function toPayment(value: unknown): kit.ProviderPayment | undefined {
  const payment = kit.parseObject(Payment, value, "a payment");
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
    type: kit.rowOf(TYPES, payment.classification) ?? "OTHER",
    ...amount,
    scheme: "OTHER",
    status: kit.rowOf(STATUSES, payment.status) ?? "OTHER",
    ...kit.given({ sourceReference: source, destinationReference: destination }),
    metadata: {},
    raw: kit.rawOf(value),
  };
}
