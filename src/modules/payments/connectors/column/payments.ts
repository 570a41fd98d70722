import { z } from "zod";
import { type ColumnClient, CURRENCIES, SPEC } from "./client.ts";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { log } from "#platform/log.ts";
import type { Timestamp } from "#platform/time.ts";

/**
 * The types of outgoing transfers; all other outgoing transfers are `TRANSFER`, and incoming ones `PAY-IN`. A book transfer moves money
 * between two accounts of the bank, and has no direction.
 */
export const TYPES: Readonly<Record<string, kit.PaymentType>> = {
  book: "TRANSFER",
  wire: "PAYOUT",
  swift: "PAYOUT",
  realtime: "PAYOUT",
  check_credit: "PAYOUT",
  ach_credit: "PAYOUT",
};

/** The statuses of transfers of all kinds. Statuses that begin with `pending` are `PENDING`, and all others are `UNKNOWN`. */
export const STATUSES: Readonly<Record<string, kit.PaymentStatus>> = {
  submitted: "PENDING",
  initiated: "PENDING",
  scheduled: "PENDING",
  acknowledged: "PENDING",
  cancellation_requested: "PENDING",
  completed: "SUCCEEDED",
  deposited: "SUCCEEDED",
  recleared: "SUCCEEDED",
  settled: "SUCCEEDED",
  accepted: "SUCCEEDED",
  canceled: "CANCELLED",
  stopped: "CANCELLED",
  blocked: "CANCELLED",
  failed: "FAILED",
  rejected: "FAILED",
  returned: "REFUNDED",
  user_initiated_returned: "REFUNDED",
  return_contested: "REFUND_REVERSED",
  return_dishonored: "REFUND_REVERSED",
  user_initiated_return_dishonored: "REFUND_REVERSED",
  first_return: "REFUNDED_FAILURE",
  second_return: "REFUNDED_FAILURE",
  user_initiated_return_submitted: "REFUNDED_FAILURE",
  manual_review: "AUTHORISATION",
  manual_review_approved: "AUTHORISATION",
  hold: "CAPTURE",
};

/** The status of a payment. The provider writes the statuses of some transfers in capitals. */
export function statusOf(text: string): kit.PaymentStatus {
  const status = text.toLowerCase();
  return status.startsWith("pending") ? "PENDING" : (kit.rowOf(STATUSES, status) ?? "UNKNOWN");
}

const Transfer = z.object({
  id: kit.Text,
  created_at: kit.Date3339,
  /** `BOOK`, `ACH_CREDIT` and others in the list of all transfers; `CREDIT` or `DEBIT` in an event of an ACH transfer. */
  type: kit.OptionalText,
  status: kit.Text,
  amount: kit.Amount,
  currency_code: kit.Text,
  is_incoming: z
    .boolean()
    .nullish()
    .transform((isIncoming) => isIncoming === true),
  bank_account_id: kit.OptionalText,
  counterparty_id: kit.OptionalText,
  sender_bank_account_id: kit.OptionalText,
  receiver_bank_account_id: kit.OptionalText,
  description: kit.OptionalText,
  /** The idempotency key of the request that created the transfer. */
  idempotency_key: kit.OptionalText,
});
type Transfer = z.output<typeof Transfer>;

/** The transfers of all bank accounts. */
export const fetchPayments = (
  client: ColumnClient,
  request: kit.FetchRequest,
): Promise<kit.PaymentPage> => client.fetchList("/transfers", request, (value) => toPayment(value));

/** Facts about a transfer that its object does not contain. */
interface Context {
  /** The kind of transfer, such as `ach`, from the type of an event. */
  readonly rail?: string;
  readonly isIncoming?: boolean;
  /** The event that reports a later state of the transfer. */
  readonly event?: { readonly id: string; readonly at: Timestamp };
}

/** A state of the payment of a transfer; undefined and logged for an unsupported currency. */
export function toPayment(
  value: unknown,
  { rail, isIncoming, event }: Context = {},
): kit.ProviderPayment | undefined {
  const transfer = kit.parseObject(Transfer, value, "a transfer");
  const { id, created_at, status, currency_code: currency, description } = transfer;
  const { idempotency_key: initiationReference } = transfer;
  const amount = CURRENCIES.fromUnits(transfer.amount, currency);
  if (amount === undefined) {
    log("info", "a transfer in a currency that is not supported is left out", { id, currency });
    return undefined;
  }
  const kind = kindOf(transfer, rail);
  return {
    ...(event === undefined
      ? { reference: id, createdAt: created_at }
      : { reference: event.id, parentReference: id, createdAt: event.at }),
    ...flowOf(transfer, kind, isIncoming ?? transfer.is_incoming),
    ...amount,
    scheme: "OTHER",
    status: statusOf(status),
    ...kit.given({ initiationReference }),
    metadata: SPEC.write({ type: kind, description }),
    raw: kit.rawOf(value),
  };
}

/** The type of a transfer as in the list of all transfers, such as `ach_credit`. */
function kindOf({ type = "" }: Transfer, rail: string | undefined): string {
  const own = type.toLowerCase();
  if (rail === undefined) return own;
  return rail === "ach" && (own === "credit" || own === "debit") ? `ach_${own}` : rail;
}

/**
 * The type, source and destination of a payment. An ACH debit pulls money: an outgoing debit brings money to the account, and an incoming
 * debit takes money from it.
 */
function flowOf(
  transfer: Transfer,
  kind: string,
  isIncoming: boolean,
): Pick<kit.ProviderPayment, "type" | "sourceReference" | "destinationReference"> {
  const { bank_account_id: own, counterparty_id: other } = transfer;
  const isDebit = kind === "ach_debit";
  const ends = isIncoming === isDebit ? [own, other] : [other, own];
  const source = transfer.sender_bank_account_id ?? ends[0];
  const destination = transfer.receiver_bank_account_id ?? ends[1];
  return {
    type: typeOf(kind, isIncoming),
    ...kit.given({ sourceReference: source, destinationReference: destination }),
  };
}

function typeOf(kind: string, isIncoming: boolean): kit.PaymentType {
  if (isIncoming && kind === "ach_debit") return "PAYOUT";
  if (isIncoming && kind !== "book") return "PAY-IN";
  return kit.rowOf(TYPES, kind) ?? "TRANSFER";
}
