import { z } from "zod";
import { NOTHING } from "./accounts.ts";
import { amountOf, TinkAmount } from "./amounts.ts";
import type { TinkClient } from "./client.ts";
import { readOwnership } from "./consents.ts";
import type { FetchRequest, PaymentPage } from "#modules/payments/connectors/contract.ts";
import { rowOf } from "#modules/payments/connectors/kit/mapping.ts";
import {
  Date3339,
  OptionalText,
  parseObject,
  Text,
} from "#modules/payments/connectors/kit/objects.ts";
import { rawOf } from "#modules/payments/connectors/kit/raw.ts";
import { fetchTokenList } from "#modules/payments/connectors/kit/token-list.ts";
import type { ProviderPayment } from "#modules/payments/connectors/provider-objects.ts";
import type { PaymentStatus } from "#modules/payments/core/enums.ts";
import { log } from "#platform/log.ts";
import { fromMicros, type Timestamp, toMicros } from "#platform/time.ts";

/** The statuses of transactions; all others are `OTHER`. */
export const STATUSES: Readonly<Record<string, PaymentStatus>> = {
  BOOKED: "SUCCEEDED",
  PENDING: "PENDING",
};

/** A day, as the time at which it begins. */
const Day = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d$/)
  .transform((day) => `${day}T00:00:00Z`)
  .pipe(Date3339);

const Transaction = z.object({
  id: Text,
  accountId: Text,
  amount: TinkAmount,
  status: OptionalText,
  bookedDateTime: Date3339.nullish(),
  transactionDateTime: Date3339.nullish(),
  dates: z.object({ booked: Day.nullish(), value: Day.nullish() }).nullish(),
});
type Transaction = z.output<typeof Transaction>;

/** The transactions of a connection. */
export async function fetchPayments(
  client: TinkClient,
  now: Timestamp,
  request: FetchRequest,
): Promise<PaymentPage> {
  const { connection } = request;
  if (connection === undefined) return NOTHING;
  const { user, connectionId } = connection;
  const ownership = await readOwnership(client, user.id);
  return fetchTokenList(request, {
    readPage: ({ token, pageSize }) =>
      client.list(user.id, "transactions", { pageSize, pageToken: token }),
    read: (value) => {
      const { accountId } = parseObject(Transaction, value, "a transaction");
      return ownership.isOf(accountId, connectionId) ? toPayment(value, now) : undefined;
    },
  });
}

/** A transaction by its sign; undefined for a currency that is not known, with a line in the log. */
export function toPayment(value: unknown, now: Timestamp): ProviderPayment | undefined {
  const transaction = parseObject(Transaction, value, "a transaction");
  const { id, accountId } = transaction;
  const signed = amountOf(transaction.amount);
  if (signed === undefined) {
    const why = "a transaction in a currency that is not known is left out";
    log("info", why, { provider: "tink", id, currency: transaction.amount.currencyCode });
    return undefined;
  }
  const { amount, asset } = signed;
  const status = rowOf(STATUSES, transaction.status) ?? "OTHER";
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
    raw: rawOf(value),
  };
}

/** What is booked is later than what was pending, even if both are dated on one day. */
function timeOf(
  { bookedDateTime, transactionDateTime, dates }: Transaction,
  status: PaymentStatus,
  now: Timestamp,
): Timestamp {
  const time = bookedDateTime ?? transactionDateTime ?? dates?.booked ?? dates?.value ?? now;
  return status === "PENDING" ? time : fromMicros(toMicros(time) + 1n);
}
