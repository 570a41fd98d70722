import { z } from "zod";
import * as kit from "#modules/payments/connectors/kit/index.ts";
import { stringifyJson } from "#platform/json.ts";

/** Currencies for which the provider deviates from ISO 4217. */
const CURRENCIES = new kit.Currencies({ exceptions: { CLP: 2, CVE: 0, IDR: 0, ISK: 2 } });

/** How an event with a code becomes a state of a payment. */
interface EventMapping {
  readonly type: kit.PaymentType;
  readonly status: kit.PaymentStatus;
  /** Whether the event is a later state of the payment that its `originalReference` names. */
  readonly hasParent: boolean;
  readonly scheme: "paymentMethod" | "OTHER";
  /** The status of an event whose `success` is false. */
  readonly failed: "FAILED" | "ignored";
}

const later = (status: kit.PaymentStatus, type: kit.PaymentType = "PAY-IN"): EventMapping => ({
  type,
  status,
  hasParent: true,
  scheme: "OTHER",
  failed: "ignored",
});

/** The event codes that report states of payments; all other codes are ignored. */
export const EVENTS: Readonly<Record<string, EventMapping>> = {
  AUTHORISATION: {
    type: "PAY-IN",
    status: "AUTHORISATION",
    hasParent: false,
    scheme: "paymentMethod",
    failed: "FAILED",
  },
  AUTHORISATION_ADJUSTMENT: later("AMOUNT_ADJUSTEMENT"),
  CANCELLATION: { ...later("CANCELLED"), scheme: "paymentMethod" },
  CAPTURE: later("CAPTURE"),
  CAPTURE_FAILED: later("CAPTURE_FAILED"),
  REFUND: later("REFUNDED"),
  REFUND_WITH_DATA: later("REFUNDED"),
  REFUND_FAILED: later("REFUNDED_FAILURE"),
  REFUNDED_REVERSED: later("REFUND_REVERSED"),
  PAYOUT_THIRDPARTY: {
    type: "PAYOUT",
    status: "SUCCEEDED",
    hasParent: false,
    scheme: "OTHER",
    failed: "FAILED",
  },
  PAYOUT_DECLINE: later("FAILED", "PAYOUT"),
  PAYOUT_EXPIRE: later("EXPIRED", "PAYOUT"),
};

/** The schemes by prefixes of the names of payment methods; all other methods are `OTHER`. */
export const SCHEMES: readonly (readonly [prefix: string, scheme: kit.PaymentScheme])[] = [
  ["visa", "CARD_VISA"],
  ["electron", "CARD_VISA"],
  ["amex", "CARD_AMEX"],
  ["alipay", "CARD_ALIPAY"],
  ["cup", "CARD_CUP"],
  ["discover", "CARD_DISCOVER"],
  ["doku", "DOKU"],
  ["dragonpay", "DRAGON_PAY"],
  ["jcb", "CARD_JCB"],
  ["maestro", "MAESTRO"],
  ["mc", "CARD_MASTERCARD"],
  ["molpay", "MOL_PAY"],
  ["diners", "CARD_DINERS"],
];

const schemeOf = (paymentMethod: string | undefined): kit.PaymentScheme =>
  SCHEMES.find(([prefix]) => paymentMethod?.startsWith(prefix))?.[1] ?? "OTHER";

/** The members that decide whether an item reports a state of a payment. */
const Event = z.object({ eventCode: kit.Text, success: z.enum(["true", "false"]) });

const Item = z.object({
  pspReference: kit.Text,
  originalReference: kit.OptionalText,
  merchantAccountCode: kit.Text,
  eventDate: kit.Date3339,
  paymentMethod: kit.OptionalText,
  amount: z.object({ value: kit.Amount, currency: kit.Text }),
});

/** The state of a payment that an item of a notification reports; undefined for an item that reports no state. */
export function toPayment(value: unknown): kit.ProviderPayment | undefined {
  const { eventCode, success } = kit.parseObject(Event, value, "a notification");
  const mapping = kit.rowOf(EVENTS, eventCode);
  if (mapping === undefined) return undefined;
  const { type, status, hasParent, scheme, failed } = mapping;
  const hasFailed = success === "false";
  if (hasFailed && failed === "ignored") return undefined;
  const item = kit.parseObject(Item, value, "a notification");
  const amount = CURRENCIES.fromUnits(item.amount.value, item.amount.currency);
  if (amount === undefined) return undefined;
  const { originalReference, merchantAccountCode: merchant } = item;
  return {
    reference: item.pspReference,
    ...(hasParent && originalReference !== undefined ? { parentReference: originalReference } : {}),
    createdAt: item.eventDate,
    type,
    ...amount,
    scheme: scheme === "OTHER" ? scheme : schemeOf(item.paymentMethod),
    status: hasFailed ? "FAILED" : status,
    ...(type === "PAYOUT" ? { sourceReference: merchant } : { destinationReference: merchant }),
    metadata: {},
    raw: stringifyJson(value),
  };
}
