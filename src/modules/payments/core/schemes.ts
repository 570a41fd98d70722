import type { PaymentScheme } from "./enums.ts";

/** The names of schemes that clients of earlier versions use. */
const LEGACY_NAMES = {
  UNKNOWN: "unknown",
  CARD_VISA: "visa",
  CARD_MASTERCARD: "mastercard",
  CARD_AMEX: "amex",
  CARD_DINERS: "diners",
  CARD_DISCOVER: "discover",
  CARD_JCB: "jcb",
  CARD_UNION_PAY: "unionpay",
  CARD_ALIPAY: "alipay",
  CARD_CUP: "cup",
  SEPA_DEBIT: "sepa debit",
  SEPA_CREDIT: "sepa credit",
  SEPA: "sepa",
  GOOGLE_PAY: "google pay",
  APPLE_PAY: "apple pay",
  DOKU: "doku",
  DRAGON_PAY: "dragonpay",
  MAESTRO: "maestro",
  MOL_PAY: "molpay",
  A2A: "a2a",
  ACH_DEBIT: "ach debit",
  ACH: "ach",
  RTP: "rtp",
  OTHER: "other",
} as const satisfies Record<PaymentScheme, string>;

const BY_LEGACY_NAME: ReadonlyMap<string, PaymentScheme> = new Map(
  Object.entries(LEGACY_NAMES).map(([scheme, name]) => [name, scheme as PaymentScheme]), // the keys are schemes
);

export const LEGACY_SCHEMES = Object.values(LEGACY_NAMES);

export const toLegacyScheme = (scheme: PaymentScheme): (typeof LEGACY_SCHEMES)[number] =>
  LEGACY_NAMES[scheme];

/** The scheme that a client of an earlier version names, in either spelling; undefined for an unknown one. */
export const fromLegacyScheme = (text: string): PaymentScheme | undefined =>
  BY_LEGACY_NAME.get(text) ?? (isScheme(text) ? text : undefined);

const isScheme = (text: string): text is PaymentScheme => Object.hasOwn(LEGACY_NAMES, text);
