import { z } from "zod";
import { amountOf, TinkAmount } from "./amounts.ts";
import type { TinkClient } from "./client.ts";
import { fetchOwned } from "./consents.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { log } from "#platform/log.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/** The statuses of transactions; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  BOOKED: "SUCCEEDED",
  PENDING: "PENDING",
};

/** A day; the output is the beginning of the day in UTC. */
const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .transform((day) => `${day}T00:00:00Z`)
  .pipe(kit.Date3339);

const Transaction = z.object({
  id: kit.Text,
  accountId: kit.Text,
  amount: TinkAmount,
  status: kit.OptionalText,
  bookedDateTime: kit.Date3339.nullish(),
  transactionDateTime: kit.Date3339.nullish(),
  dates: z.object({ booked: Day.nullish(), value: Day.nullish() }).nullish(),
});
type Transaction = z.output<typeof Transaction>;

/** The transactions of a connection. */
export const fetchPayments = (
  client: TinkClient,
  now: Timestamp,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> =>
  fetchOwned(client, { list: "transactions", request }, (value, isOwn) => {
    const { accountId } = kit.parseObject(Transaction, value, "a transaction");
    return isOwn(accountId) ? toPayment(value, now) : undefined;
  });

/** The payment of a transaction, whose sign decides the direction; undefined and logged for an unknown currency. */
export function toPayment(value: unknown, now: Timestamp): kit.ProviderPayment | undefined {
  const transaction = kit.parseObject(Transaction, value, "a transaction");
  const { id, accountId } = transaction;
  const signed = amountOf(transaction.amount);
  if (signed === undefined) {
    const why = "a transaction in a currency that is not known is left out";
    log("info", why, { provider: "tink", id, currency: transaction.amount.currencyCode });
    return undefined;
  }
  const { amount, asset } = signed;
  const status = kit.rowOf(STATUSES, transaction.status) ?? "OTHER";
  return {
    reference: id,
    createdAt: timeOf(transaction, status, now),
    ...(amount < 0n
      ? { type: "PAYOUT", sourceReference: accountId, amount: -amount }
      : { type: "PAY-IN", destinationReference: accountId, amount }),
    asset,
    scheme: "OTHER",
    status,
    metadata: {},
    raw: kit.rawOf(value),
  };
}

/** The time of a state. A booked state must be later than the pending one, even if both have the same day. */
function timeOf(
  { bookedDateTime, transactionDateTime, dates }: Transaction,
  status: kit.PaymentStatus,
  now: Timestamp,
): Timestamp {
  const time = bookedDateTime ?? transactionDateTime ?? dates?.booked ?? dates?.value ?? now;
  return status === "PENDING" ? time : fromMicros(toMicros(time) + 1n);
}
