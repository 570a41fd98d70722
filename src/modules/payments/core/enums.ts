/** The closed sets of values in requests and answers. `AMOUNT_ADJUSTEMENT` is misspelt in the API, too. */

export const ACCOUNT_TYPES = ["INTERNAL", "EXTERNAL", "UNKNOWN"] as const;
export type AccountType = (typeof ACCOUNT_TYPES)[number];

export const PAYMENT_TYPES = ["PAY-IN", "PAYOUT", "TRANSFER", "OTHER", "UNKNOWN"] as const;
export type PaymentType = (typeof PAYMENT_TYPES)[number];
export const isPaymentType = isOneOf(PAYMENT_TYPES);

export const PAYMENT_STATUSES = [
  "UNKNOWN",
  "PENDING",
  "SUCCEEDED",
  "CANCELLED",
  "FAILED",
  "EXPIRED",
  "REFUNDED",
  "REFUNDED_FAILURE",
  "REFUND_REVERSED",
  "DISPUTE",
  "DISPUTE_WON",
  "DISPUTE_LOST",
  "AMOUNT_ADJUSTEMENT",
  "AUTHORISATION",
  "CAPTURE",
  "CAPTURE_FAILED",
  "OTHER",
] as const;
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number];
export const isPaymentStatus = isOneOf(PAYMENT_STATUSES);

/** States of a payment that has moved no money, so that another one of the same reference may have moved it. */
export const FAILED_PAYMENT_STATUSES: readonly PaymentStatus[] = [
  "CANCELLED",
  "CAPTURE_FAILED",
  "EXPIRED",
  "FAILED",
];

export const PAYMENT_SCHEMES = [
  "UNKNOWN",
  "CARD_VISA",
  "CARD_MASTERCARD",
  "CARD_AMEX",
  "CARD_DINERS",
  "CARD_DISCOVER",
  "CARD_JCB",
  "CARD_UNION_PAY",
  "CARD_ALIPAY",
  "CARD_CUP",
  "SEPA_DEBIT",
  "SEPA_CREDIT",
  "SEPA",
  "GOOGLE_PAY",
  "APPLE_PAY",
  "DOKU",
  "DRAGON_PAY",
  "MAESTRO",
  "MOL_PAY",
  "A2A",
  "ACH_DEBIT",
  "ACH",
  "RTP",
  "OTHER",
] as const;
export type PaymentScheme = (typeof PAYMENT_SCHEMES)[number];

export const INITIATION_TYPES = ["TRANSFER", "PAYOUT"] as const;
export type InitiationType = (typeof INITIATION_TYPES)[number];

export const INITIATION_STATUSES = [
  "UNKNOWN",
  "WAITING_FOR_VALIDATION",
  "SCHEDULED_FOR_PROCESSING",
  "PROCESSING",
  "PROCESSED",
  "FAILED",
  "REJECTED",
  "REVERSE_PROCESSING",
  "REVERSE_FAILED",
  "REVERSED",
] as const;
export type InitiationStatus = (typeof INITIATION_STATUSES)[number];

export const REVERSAL_STATUSES = ["UNKNOWN", "PROCESSING", "PROCESSED", "FAILED"] as const;
export type ReversalStatus = (typeof REVERSAL_STATUSES)[number];

export const TASK_STATUSES = ["PROCESSING", "SUCCEEDED", "FAILED"] as const;
export type TaskStatus = (typeof TASK_STATUSES)[number];

export const POOL_TYPES = ["STATIC", "DYNAMIC"] as const;
export type PoolType = (typeof POOL_TYPES)[number];

export const LINK_STATUSES = ["pending", "completed", "exited"] as const;
export type LinkStatus = (typeof LINK_STATUSES)[number];

export const CONNECTION_STATUSES = ["ACTIVE", "ERROR"] as const;
export type ConnectionStatus = (typeof CONNECTION_STATUSES)[number];

export const ORDER_DIRECTIONS = ["BUY", "SELL"] as const;
export type OrderDirection = (typeof ORDER_DIRECTIONS)[number];
export const ORDER_TYPES = [
  "MARKET",
  "LIMIT",
  "STOP_LIMIT",
  "STOP",
  "TWAP",
  "VWAP",
  "PEG",
  "BLOCK",
  "RFQ",
  "TRAILING_STOP",
  "TRAILING_STOP_LIMIT",
  "TAKE_PROFIT",
  "TAKE_PROFIT_LIMIT",
  "LIMIT_MAKER",
] as const;
export type OrderType = (typeof ORDER_TYPES)[number];
export const ORDER_STATUSES = [
  "PENDING",
  "OPEN",
  "PARTIALLY_FILLED",
  "FILLED",
  "CANCELLED",
  "FAILED",
  "EXPIRED",
] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];
export const TIMES_IN_FORCE = [
  "GOOD_UNTIL_CANCELLED",
  "GOOD_UNTIL_DATE_TIME",
  "IMMEDIATE_OR_CANCEL",
  "FILL_OR_KILL",
] as const;
export type TimeInForce = (typeof TIMES_IN_FORCE)[number];
export const CONVERSION_STATUSES = ["PENDING", "COMPLETED", "FAILED"] as const;
export type ConversionStatus = (typeof CONVERSION_STATUSES)[number];

export const CAPABILITIES = [
  "FETCH_ACCOUNTS",
  "FETCH_BALANCES",
  "FETCH_EXTERNAL_ACCOUNTS",
  "FETCH_PAYMENTS",
  "FETCH_OTHERS",
  "FETCH_ORDERS",
  "FETCH_CONVERSIONS",
  "CREATE_WEBHOOKS",
  "TRANSLATE_WEBHOOKS",
  "CREATE_BANK_ACCOUNT",
  "CREATE_TRANSFER",
  "CREATE_PAYOUT",
  "ALLOW_FORMANCE_ACCOUNT_CREATION",
  "ALLOW_FORMANCE_PAYMENT_CREATION",
] as const;
export type Capability = (typeof CAPABILITIES)[number];

function isOneOf<const T extends string>(values: readonly T[]): (text: string) => text is T {
  const set = new Set<string>(values);
  return (text): text is T => set.has(text);
}
